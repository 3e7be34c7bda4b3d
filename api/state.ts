/** What the middleware leaves on `ctx.state` for the routes. */
import type Koa from 'koa';
import type { Identity } from './auth/identity';

export interface RequestState {
  /** `x-request-id` of the answer. */
  requestId: string;
  /** The client's own id of the request, for the log. */
  clientRequestId: string | null;
  /** Where the request came from, trusted proxies looked through. */
  client: ClientOrigin;
  /** Null: nobody signed in. */
  identity: Identity | null;
  /** The parsed JSON body of routes that take one. */
  body?: unknown;
  /** The same as text, exactly as it was sent. */
  bodyText?: string;
  /** Ends up in the access log; never a prompt, an answer or a key. */
  logFields: Record<string, unknown>;
}

export interface ClientOrigin {
  readonly address: string;
  readonly secure: boolean;
  /** host[:port] the client spoke to. */
  readonly host: string;
  /** True when the client runs on this machine and no proxy is between. */
  readonly local: boolean;
}

export type Context = Koa.ParameterizedContext<RequestState>;
export type Middleware = Koa.Middleware<RequestState>;
