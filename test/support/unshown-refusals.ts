import type { ErrorCode } from '#core/errors.ts'

/** Refusals that are declared and not shown in the file of their operation yet. What is shown is taken out; nothing is put in. */
export const NOT_SHOWN_YET: Readonly<Record<string, readonly ErrorCode[]>> = {}
