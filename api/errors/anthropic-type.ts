/** The error types of the Anthropic API. Source: Anthropic API reference, "Errors". */

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'invalid_request_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

const BY_OPENAI_TYPE: Readonly<Record<string, string>> = {
  invalid_request_error: 'invalid_request_error',
  permission_error: 'permission_error',
  rate_limit_error: 'rate_limit_error',
  timeout_error: 'timeout_error',
};

/** `status` null: inside a stream, where there is none. */
export function anthropicType(openAiType: string, status: number | null): string {
  return (status === null ? undefined : BY_STATUS[status]) ?? BY_OPENAI_TYPE[openAiType] ?? 'api_error';
}
