// Speaks the supervisor's protocol: says when it serves, ends on SIGTERM and when the supervisor has exited.
import { appendFileSync } from 'node:fs'
import { awaitSettings } from '#platform/embedded/await-settings.ts'

const [name, journal = ''] = process.argv.slice(2)
const note = (event: string) =>
  appendFileSync(journal, `${JSON.stringify({ name, event, pid: process.pid, at: Date.now() })}\n`)
const leave = (event: string) => {
  note(event)
  process.exit(0)
}
process.on('SIGTERM', () => leave('terminated'))
process.on('disconnect', () => leave('orphaned'))
await awaitSettings()
note(
  `started with ${process.env['DATABASE_URL'] ? 'a database' : 'nothing'} and ${process.env['TEMPORAL_ADDRESS'] ? 'an engine' : 'nothing'}`,
)
setInterval(() => undefined, 1_000)
process.send?.({ type: 'ready' })
