/**
 * What a backend inherits from the server's environment: what a program needs to run, find its
 * GPU and reach a proxy. The rest stays here, since it holds the server's own secrets.
 */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TMPDIR|LD_LIBRARY_PATH|VIRTUAL_ENV|OMP_NUM_THREADS|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|NO|ALL)_PROXY|(LC|XDG|CUDA|NVIDIA|HIP|ROCR|HSA|GGML|VK)_[A-Z0-9_]+)$/i;

export function childEnvironment(
  own: Readonly<Record<string, string>> = {},
  from: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const inherited = Object.entries(from).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && INHERITED.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...own };
}
