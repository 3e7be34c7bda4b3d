/** The text of an answer in OpenAI's shapes, or null when it is none of them. */

interface AnyAnswer {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown }; readonly text?: unknown }[];
}

export function answerText(json: string): string | null {
  try {
    const choice = (JSON.parse(json) as AnyAnswer).choices?.[0];
    const text = choice?.message?.content ?? choice?.text;
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}
