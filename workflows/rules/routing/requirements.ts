/**
 * What a request asks of the model that serves it, read from its body (spec D3).
 *
 * | in the body                                                        | needs                     |
 * |--------------------------------------------------------------------|---------------------------|
 * | the route                                                          | that operation            |
 * | `tools` or `functions` that may be called                          | capability `tools`        |
 * | `response_format` / `text.format` json_object or json_schema       | capability `json_schema`  |
 * | `reasoning_effort`, `reasoning.effort` other than `none`; thinking | capability `reasoning`    |
 * | text; parts with an image, audio or file                           | that modality             |
 * | spoken output (`modalities`, `audio`)                              | modality `audio`          |
 * | the text's length and the most tokens it may be answered with      | a context of that size    |
 *
 * `stream` needs nothing: a backend that answers whole still gives the client its stream.
 */
import type { Operation } from '../vocabulary';
import type { Feature } from './capabilities';
import { answerTokens, TokenEstimate } from './token-estimate';

export type Modality = 'text' | 'image' | 'audio' | 'file';

export interface Requirements {
  readonly operation: Operation;
  readonly features: readonly Feature[];
  readonly modalities: readonly Modality[];
  /** Prompt and answer together, estimated low. */
  readonly contextTokens: number;
}

type Body = Readonly<Record<string, unknown>>;

const MODALITY_OF_PART: Readonly<Record<string, Modality>> = {
  text: 'text',
  input_text: 'text',
  output_text: 'text',
  image_url: 'image',
  image: 'image',
  input_image: 'image',
  input_audio: 'audio',
  audio: 'audio',
  file: 'file',
  input_file: 'file',
  document: 'file',
};

export function readRequirements(operation: Operation, body: Body): Requirements {
  const features: Feature[] = [];
  if (callsTools(body)) features.push('tools');
  if (wantsJson(body)) features.push('json_schema');
  if (wantsReasoning(body)) features.push('reasoning');

  const modalities = new Set<Modality>();
  const estimate = new TokenEstimate();
  for (const content of contentsOf(body)) readContent(content, modalities, estimate);
  if (asList(body['modalities']).includes('audio') || isRecord(body['audio'])) modalities.add('audio');
  return {
    operation,
    features,
    modalities: [...modalities],
    contextTokens: estimate.tokens + answerTokens(body),
  };
}

function callsTools(body: Body): boolean {
  const choice = body['tool_choice'];
  if (choice === 'none' || (isRecord(choice) && choice['type'] === 'none')) return false;
  return asList(body['tools']).length > 0 || asList(body['functions']).length > 0;
}

function wantsJson(body: Body): boolean {
  const text = body['text'];
  const format = body['response_format'] ?? (isRecord(text) ? text['format'] : undefined);
  const type = isRecord(format) ? format['type'] : undefined;
  return type === 'json_object' || type === 'json_schema';
}

function wantsReasoning(body: Body): boolean {
  const { reasoning, thinking } = body;
  if (isRecord(thinking)) return thinking['type'] !== 'disabled';
  const effort = body['reasoning_effort'] ?? (isRecord(reasoning) ? reasoning['effort'] : undefined);
  return typeof effort === 'string' && effort !== 'none';
}

/** Everything that can hold text or parts, whatever the route. */
function* contentsOf(body: Body): Generator<unknown> {
  for (const message of asList(body['messages'])) if (isRecord(message)) yield message['content'];
  yield body['system'];
  yield body['instructions'];
  yield body['prompt'];
  const { input } = body;
  if (!Array.isArray(input)) yield input;
  for (const item of asList(input)) yield isRecord(item) && 'content' in item ? item['content'] : [item];
}

function readContent(content: unknown, modalities: Set<Modality>, estimate: TokenEstimate): void {
  if (typeof content === 'string') {
    modalities.add('text');
    estimate.add(content);
    return;
  }
  for (const part of asList(content)) {
    if (typeof part === 'number') estimate.addToken();
    else if (typeof part === 'string' || Array.isArray(part)) readContent(part, modalities, estimate);
    else if (isRecord(part)) {
      const modality = MODALITY_OF_PART[String(part['type'])];
      if (modality) modalities.add(modality);
      if (typeof part['text'] === 'string') estimate.add(part['text']);
    }
  }
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
