/** Altered by two at once (XX000), created by two at once (23505, 42710). */
function isMeeting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['XX000', '23505', '42710'].includes(String(error.code))
}

/** Roles belong to the server, but its locks to one database: starters of two databases can meet at a role. */
export async function undisturbed<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 10 || !isMeeting(error)) throw error
    }
  }
}
