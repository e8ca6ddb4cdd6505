import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID, type Ids } from '#core/id.ts'
import type { Clock } from '#core/time/time.ts'
import type { ConnectionBox } from '#platform/connection-box.ts'
import type { createConnectionStore, SealedConnection } from '#store/connections/connections.ts'
import { OPERATOR, systemAudit } from '../audit/system-audit.ts'
import { sealedFor } from './connection-seal.ts'

interface ResealPorts {
  store: Pick<ReturnType<typeof createConnectionStore>, 'sealedByOthers' | 'reseal'>
  box: ConnectionBox
  ids: Ids
  clock: Clock
}

/** What was sealed with the first key of the ring, and what no key of it opens. */
export interface Resealed {
  kid: string
  resealed: number
  left: { id: string; problem: string }[]
}

/**
 * Seals every secret of a connection, and its tokens, with the first key of the ring, each on record, while the service runs: a secret that
 * is changed at the same moment is sealed with the key of the process that changes it.
 */
export async function resealSecrets(ports: ResealPorts): Promise<Resealed> {
  const { store, box } = ports
  const found = { kid: box.kid, resealed: 0, left: [] as Resealed['left'] }
  for (const row of await store.sealedByOthers(box.kid)) {
    const secret = await opened(box, row)
    if ('problem' in secret) found.left.push({ id: row.id, problem: secret.problem })
    else if (await reseal(ports, row, secret.text)) found.resealed += 1
  }
  return found
}

async function opened(box: ConnectionBox, row: SealedConnection): Promise<{ text: string } | { problem: string }> {
  try {
    return { text: await box.open(sealedFor(row), row.sealed) }
  } catch (error) {
    if (error instanceof DomainError) return { problem: error.message }
    throw error
  }
}

async function reseal(ports: ResealPorts, row: SealedConnection, text: string): Promise<boolean> {
  const { id, version, authorization } = row
  const secret = await ports.box.seal(sealedFor(row), text)
  const audit = systemAudit(ports, {
    category: 'admin',
    action: 'connection.resealed',
    workspace_id: DEFAULT_WORKSPACE_ID,
    actor: OPERATOR,
    channel: 'cli',
    subject: { type: 'connection', id },
    data: { version, kid: secret.kid, ...(authorization !== null && { grant: authorization.id }) },
  })
  return await ports.store.reseal(row, secret, audit)
}
