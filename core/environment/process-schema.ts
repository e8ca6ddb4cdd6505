import { z } from 'zod'
import { LongDurationMs } from '../freeze/freeze-schema.ts'
import { Name } from '../names/name-schema.ts'
import { linearPattern } from '../text/linear-pattern.ts'
import { DAY_MS } from '../time/time.ts'

/** An absolute path without variables or anything that a shell would read. */
const COMMAND_PATH = /^(?!.*\/\.{1,2}(\/|$))(\/[A-Za-z0-9@%+=:,._-]+)+$/

const LEFT_PATH = /^(\.|(?!(.*\/)?\.{1,2}(\/|$))[A-Za-z0-9@%+=:,._-]+(\/[A-Za-z0-9@%+=:,._-]+)*)$/

/** A file or a folder below the one that a program works in; `.` is that one. */
export const LeftPath = z
  .string()
  .max(200)
  .regex(LEFT_PATH, 'a path below the folder of the process, or . for all of it')

const Pattern = z
  .string()
  .max(1_000)
  .superRefine((pattern, ctx) => {
    try {
      linearPattern(pattern)
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) })
    }
  })

const Limits = z
  .strictObject({
    time: LongDurationMs.pipe(z.number().max(7 * DAY_MS, 'at most 7d')).default(600_000),
    grace: LongDurationMs.pipe(z.number().max(60_000, 'at most 1m')).default(5_000),
    memory_mb: z.int().min(16).max(1_048_576).default(512),
    cpu_seconds: z.int().min(1).max(31_536_000).exactOptional(),
    open_files: z.int().min(16).max(1_048_576).default(256),
    file_mb: z.int().min(1).max(1_048_576).default(64),
    processes: z.int().min(1).max(100_000).exactOptional(),
    output_kb: z.int().min(1).max(1_024).default(64),
    artifacts: z.int().min(1).max(100).default(20),
    artifact_mb: z.int().min(1).max(64).default(16),
  })
  .transform(({ time, grace, ...rest }) => ({ time_ms: time, grace_ms: grace, ...rest }))
export type ProcessLimits = z.output<typeof Limits>

/** A program that steps of an environment may run. */
export const AllowedProcess = z.strictObject({
  name: Name,
  command: z.string().max(500).regex(COMMAND_PATH, 'an absolute path of plain characters, without . and ..'),
  args: z.array(Pattern).max(100).default([]),
  rest: Pattern.exactOptional(),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of a variable'),
      z
        .string()
        .max(4_000)
        .refine((text) => !text.includes('\0'), 'has a NUL'),
    )
    .default({}),
  user: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'the name of a user of the machine')
    .exactOptional(),
  limits: Limits.prefault({}),
})
export type AllowedProcess = z.output<typeof AllowedProcess>

export const AllowedProcesses = z
  .array(AllowedProcess)
  .max(200)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'two processes of one name')
