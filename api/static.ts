/**
 * Serves the built WebUI: files by their names, and the page itself for every address a person can
 * open. Whatever else is unknown stays a JSON error.
 */
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from './errors/app-error';
import type { Context, Middleware } from './state';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Unknown addresses below these are JSON errors, never the page. */
const API = /^\/(v1|api)(\/|$)/;

/** The build puts a hash of the content into these names, so they never change. */
const HASHED = /-[A-Za-z0-9_-]{8}\.(js|css)$/;

/** A name of a file or folder of the build; no dot files, nothing that climbs. */
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

export function serveWebUi(webRoot: string): Middleware {
  return async (ctx, next) => {
    if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || API.test(ctx.path)) return next();
    const asset = await find(webRoot, ctx.path);
    if (asset) return send(ctx, asset);
    if (!isNavigation(ctx)) return next();
    const page = await find(webRoot, '/index.html');
    if (!page) throw new AppError('webui_not_built');
    send(ctx, page);
  };
}

export interface Asset {
  readonly file: string;
  readonly stats: Stats;
}

async function find(webRoot: string, urlPath: string): Promise<Asset | null> {
  // Only plain names get as far as the file system: encoded ones simply don't match.
  const segments = urlPath.split('/').filter((segment) => segment !== '');
  if (segments.length === 0 || !segments.every((segment) => SEGMENT.test(segment))) return null;
  if (TYPES[path.extname(urlPath)] === undefined) return null;
  const file = path.join(webRoot, ...segments);
  const stats = await stat(file).catch(() => null);
  return stats?.isFile() ? { file, stats } : null;
}

function isNavigation(ctx: Context): boolean {
  return path.extname(ctx.path) === '' && ctx.get('accept').includes('text/html');
}

/** Sends one file, or 304 when the client has it. */
export function send(ctx: Context, { file, stats }: Asset): void {
  ctx.status = 200;
  ctx.set({
    'content-type': TYPES[path.extname(file)]!,
    'cache-control': HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: `"${stats.size.toString(36)}-${Math.trunc(stats.mtimeMs).toString(36)}"`,
  });
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const type = ctx.response.get('content-type');
  if (ctx.method !== 'HEAD') ctx.body = createReadStream(file);
  ctx.set('content-type', type);
  ctx.length = stats.size;
}
