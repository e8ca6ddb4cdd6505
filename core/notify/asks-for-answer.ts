import type { GateNotice } from './types.ts'

/** Whether a message asks for something, and does not only say what has happened. */
export function asksForAnswer({ answered, resolution, ended }: GateNotice): boolean {
  return answered === undefined && resolution === undefined && ended === undefined
}
