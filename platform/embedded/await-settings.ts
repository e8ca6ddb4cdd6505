import { once } from 'node:events'
import process from 'node:process'
import { z } from 'zod'

/** Tells a program that its settings follow: it loads its modules while the servers are still starting. */
export const SETTINGS_FOLLOW = '--settings-follow'

const ORPHANED_MS = 15_000
const settingsSchema = z.object({ env: z.record(z.string(), z.string()) })

/** Waits for the environment that the supervisor sends, where it sends one. */
export async function awaitSettings(): Promise<void> {
  if (!process.argv.includes(SETTINGS_FOLLOW)) return
  const sent = once(process, 'message')
  // a program that has no handler of its own yet must not outlive its supervisor
  process.once('disconnect', () => setTimeout(() => process.exit(1), ORPHANED_MS).unref())
  const [message] = await sent
  Object.assign(process.env, settingsSchema.parse(message).env)
}
