import type { RendererObject } from 'marked';

/**
 * S26, S27: raw HTML is shown as the text it is, links lead out under three protocols only, and a
 * picture is a link: opening an answer must not call anybody. Angular's sanitiser comes after this.
 */
export const inlineRenderer: RendererObject = {
  html({ text }) {
    return escapeHtml(text);
  },
  /** One level under the page's own headings, whatever the answer thinks it is; the size tells the rest. */
  heading({ tokens, depth }) {
    return `<h3 class="level-${depth}">${this.parser.parseInline(tokens)}</h3>`;
  },
  link({ href, title, tokens }) {
    const label = this.parser.parseInline(tokens);
    return safeUrl(href) ? anchor(href, title, label) : label;
  },
  image({ href, text }) {
    const label = `${escapeHtml(text || 'Picture')} (picture, not loaded)`;
    return safeUrl(href) ? anchor(href, null, label) : label;
  },
  /** The sanitiser allows no form controls. */
  checkbox({ checked }) {
    return checked ? '☑ ' : '☐ ';
  },
};

/** Absolute, so that an answer can't point into this app with the reader's session. */
function safeUrl(href: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol);
  } catch {
    // Relative or broken: no link.
    return false;
  }
}

function anchor(href: string, title: string | null | undefined, label: string): string {
  const tip = title ? ` title="${escapeHtml(title)}"` : '';
  return `<a href="${escapeHtml(href)}" target="_blank" rel="noopener noreferrer"${tip}>${label}</a>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
