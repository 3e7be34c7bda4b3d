/**
 * One management route as data. The same declaration checks the permission and the input, and makes
 * the OpenAPI document and `docs/http-api.md`, so that they can't drift apart.
 */
import type { z } from 'zod';
import type { OPEN, Permission } from '../auth/permissions';
import type { Identity } from '../auth/identity';
import type { Context } from '../state';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Call<Access, Query, Body> {
  readonly ctx: Context;
  readonly identity: Access extends typeof OPEN ? Identity | null : Identity;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

export interface RouteDeclaration<Access, Query, Body, Result> {
  readonly method: Method;
  /** Below /api/v1, parameters as `{name}`. */
  readonly path: string;
  readonly permission: Access;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodType<Query>;
  readonly request?: z.ZodType<Body>;
  readonly response?: z.ZodType<Result>;
  /** Success status; 200 unless given. */
  readonly status?: number;
  /** Content type of a response that is not JSON of `response`. */
  readonly produces?: string;
  /** Codes of the error catalogue that are this route's own. */
  readonly errors?: readonly import('../errors/catalogue').ErrorCode[];
  /** Returns the body; with `produces`, or for 204, it sets the context's itself. */
  handler(call: Call<Access, Query, Body>): Promise<Result> | Result;
}

export type Access = Permission | typeof OPEN;

/** A route with its types forgotten, as the mount and the generators see it. */
export type Route = RouteDeclaration<Access, unknown, unknown, unknown>;

export function route<A extends Access, Query = undefined, Body = undefined, Result = void>(
  declaration: RouteDeclaration<A, Query, Body, Result>,
): Route {
  return declaration;
}
