// Refreshes the tokens of a connection in a process of its own, which dies at a point.
import { accessToken } from '#services/connections/refresh-tokens.ts'
import { createDb } from '#store/db.ts'
import { boxOf, openPorts } from './authorized-connection.ts'

export interface RefreshOrder {
  url: string
  key: string
  connection: string
  /** where it dies; `asked`: somebody kills it while its request is with the provider */
  at: 'before_lease' | 'leased' | 'asked' | 'answered' | 'stored' | 'released'
}

const { url, key, connection, at }: RefreshOrder = JSON.parse(process.argv[2] ?? '{}')

async function dieAt(point: RefreshOrder['at']): Promise<void> {
  if (point !== at) return
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => undefined)
}

const ports = openPorts(createDb(url, { max: 2 }), boxOf(key))
const { authorizations, oauth } = ports
const row = await ports.store.find(connection)
if (row === undefined) throw new Error('there is no such connection')
await accessToken(
  {
    ...ports,
    authorizations: {
      ...authorizations,
      async claim(...given) {
        await dieAt('before_lease')
        const fence = await authorizations.claim(...given)
        await dieAt('leased')
        return fence
      },
      async refreshed(...given) {
        const done = await authorizations.refreshed(...given)
        await dieAt('stored')
        return done
      },
    },
    oauth: {
      async refresh(...given) {
        const answer = await oauth.refresh(...given)
        await dieAt('answered')
        return answer
      },
    },
  },
  row,
)
await dieAt('released')
