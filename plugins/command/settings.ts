import { z } from 'zod';
import { apiKey, maxReplyBytes } from '../openai-compatible/settings';
import { templateFaults } from './arguments';

/** Variables that make a program load foreign code (S48). */
const LOADER =
  /^(LD_.*|DYLD_.*|GCONV_PATH|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|BASH_ENV|ENV|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS)$/i;

const noNul = z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL');

const seconds = z.number().positive().max(86_400);

export const settings = z
  .strictObject({
    COMMAND: noNul
      .min(1)
      .meta({ description: 'The program: a path, or a name looked up on PATH. No shell is involved.' }),
    ARGS: z.array(noNul).default([]).meta({
      description: 'Its arguments, one each. {port}, {model} and {data_dir} are filled in.',
    }),
    ENV: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no variable name')
          .refine((name) => !LOADER.test(name), 'would make the program load foreign code'),
        noNul.meta({ secret: true }),
      )
      .default({})
      .meta({ description: 'Variables for it, beside a few inherited ones such as PATH and HOME.' }),
    CWD: noNul.startsWith('/').optional().meta({ description: "Its directory; by default the plugin's own." }),
    MODEL: noNul.min(1).optional().meta({ description: 'What {model} stands for, e.g. a file.' }),
    PORT: z
      .int()
      .min(0)
      .max(65_535)
      .default(0)
      .meta({ description: 'Loopback port it is to listen on; 0 picks a free one.' }),
    BASE_PATH: z
      .string()
      .regex(/^(\/[^\s?#]*)?$/, 'must be a path')
      .default('/v1')
      .meta({ description: 'Where its API begins.' }),
    HEALTH_PATH: z.string().startsWith('/').default('/health').meta({ description: 'Answers 2xx once it is ready.' }),
    START_TIMEOUT_SEC: seconds.default(120).meta({ description: 'Until it must be ready, in seconds.' }),
    STOP_TIMEOUT_SEC: seconds.default(10).meta({ description: 'Between TERM and KILL, in seconds.' }),
    API_KEY: apiKey.optional(),
    MAX_REPLY_BYTES: maxReplyBytes,
  })
  .superRefine(({ ARGS, MODEL }, context) => {
    ARGS.forEach((argument, index) => {
      for (const message of templateFaults(argument, MODEL !== undefined)) {
        context.addIssue({ code: 'custom', path: ['ARGS', index], message });
      }
    });
  });

export type Settings = z.infer<typeof settings>;
