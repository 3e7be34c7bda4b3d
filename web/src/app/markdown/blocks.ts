import { Marked, type Token, type Tokens } from 'marked';
import { inlineRenderer } from './inline-renderer';

/** A document as blocks: the few that are more than text become components, the rest sanitised HTML. */
export type Block =
  | { kind: 'html'; html: string }
  | { kind: 'code'; text: string; language: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; ordered: boolean; start: number; items: Block[][] };

const marked = new Marked({ gfm: true, breaks: true, renderer: inlineRenderer });

/** Quotes and lists nested deeper than this are shown as the text they are: no answer may exhaust the stack. */
const deepest = 12;

export function blocksOf(markdown: string): Block[] {
  return fromTokens(marked.lexer(markdown), 0);
}

function fromTokens(tokens: readonly Token[], depth: number): Block[] {
  return lines(tokens).flatMap((line) => fromLine(line, depth));
}

/** A list item's words, and the box before them, come as tokens side by side: they are one line. */
function lines(tokens: readonly Token[]): Token[][] {
  const found: Token[][] = [];
  for (const token of tokens) {
    const before = found.at(-1);
    if (isInline(token) && before?.every(isInline)) before.push(token);
    else found.push([token]);
  }
  return found;
}

function fromLine(line: Token[], depth: number): Block[] {
  const [token] = line;
  if (!token || token.type === 'space' || token.type === 'def') return [];
  if (depth > deepest) return [{ kind: 'code', text: token.raw, language: '' }];
  if (isCode(token)) return [{ kind: 'code', text: token.text, language: token.lang?.split(/\s/)[0] ?? '' }];
  if (isQuote(token)) return [{ kind: 'quote', blocks: fromTokens(token.tokens, depth + 1) }];
  if (isList(token)) {
    const items = token.items.map((item) => fromTokens(item.tokens, depth + 1));
    return [{ kind: 'list', ordered: token.ordered, start: Number(token.start) || 1, items }];
  }
  return [{ kind: 'html', html: marked.parser(line) }];
}

const isInline = (token: Token): boolean => token.type === 'text' || token.type === 'checkbox';
const isCode = (token: Token): token is Tokens.Code => token.type === 'code';
const isQuote = (token: Token): token is Tokens.Blockquote => token.type === 'blockquote';
const isList = (token: Token): token is Tokens.List => token.type === 'list';
