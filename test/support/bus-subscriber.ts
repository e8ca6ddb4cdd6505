// A subscriber in a process of its own, which says what it handled before it says so to the bus: bus-subscriber.ts <url> <name> <pattern> [<id of the event that it dies of>]
import { loadConfig } from '#platform/config.ts'
import { createDb } from '#store/db.ts'
import { createBus } from '#workers/create-bus.ts'
import { testLog } from './embedded.ts'

const [, , databaseUrl = '', name = '', pattern = '', deadly] = process.argv
const db = createDb(databaseUrl, { max: 3, name: 'test-subscriber' })
const config = { ...loadConfig({ SVC_BUS: 'postgres' }), databaseUrl }
const bus = await createBus({ config, db, log: testLog })
const { ready } = bus.subscribe({
  name,
  patterns: [pattern],
  workspace_id: '*',
  from: 'beginning',
  handler: ({ id, topic, event, redelivered }) =>
    new Promise((resolve, reject) => {
      if (event.id === deadly) process.kill(process.pid, 'SIGKILL')
      process.send?.({ id: Number(id), topic, event_id: event.id, redelivered }, (error: Error | null) =>
        error ? reject(error) : resolve(),
      )
    }),
})
await ready
process.send?.('ready')
