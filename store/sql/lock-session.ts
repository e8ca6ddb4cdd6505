import postgres from 'postgres'
import { isLost, reconnectDelay, VANISHED_PEER } from '../db.ts'
import { LONG_STARTUP, serverOf } from './postgres-socket.ts'

/** An established session answers a short statement in this time, or is given up. */
const ANSWER_MS = 1_000
const CONNECT_MS = 2_500
/** The server ends a session of locks without a sign of life for this long: its process hangs, or is cut off. */
const IDLE_MS = 3_000
const BEAT_MS = 1_000
/** A holder stops relying on its locks this long before the server may end their session. */
const MARGIN_MS = 500

interface LockSessionOptions {
  /** holds session locks: the session is kept alive with a statement a second, and the server ends it if that stays away */
  holds_locks: boolean
  /** the session has ended, and with it every lock on it */
  onLost?(): void
}

export interface LockSession {
  /** Runs one statement; a connection that does not answer, or has ended, is replaced by a new one. */
  ask<Rows>(statement: (sql: postgres.Sql) => PromiseLike<Rows>): Promise<Rows>
  /** false once the server may have ended the session; asked by the monotonic clock, without a round trip */
  alive(): boolean
  close(): Promise<void>
}

/** One connection, opened with the first statement and kept: its locks end with it. */
export function createLockSession(url: string, name: string, options: LockSessionOptions): LockSession {
  const { holds_locks, onLost = () => undefined } = options
  let sql: postgres.Sql | undefined
  let known = false
  let alive_until = 0
  let beat: ReturnType<typeof setInterval> | undefined

  function open(): postgres.Sql {
    const opened = openSession(url, name, holds_locks, () => {
      if (sql === opened) lost()
    })
    known = false
    if (holds_locks)
      beat ??= setInterval(() => void ask((session) => session`select 1`).catch(() => undefined), BEAT_MS)
    return opened
  }

  function lost(): void {
    alive_until = 0
    known = false
    onLost()
  }

  async function ask<Rows>(statement: (session: postgres.Sql) => PromiseLike<Rows>): Promise<Rows> {
    sql ??= open()
    const session = sql
    const sent_at = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const limit = known ? ANSWER_MS : CONNECT_MS
    const giveUp = () => {
      // the server may never read it: whatever was sent on it is lost
      if (sql === session) {
        sql = undefined
        lost()
      }
      void session.end({ timeout: 0 }).catch(() => undefined)
    }
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        giveUp()
        reject(new Error(`the database did not answer ${name} within ${limit} ms`))
      }, limit)
    })
    const answer = Promise.resolve(statement(session))
    answer.catch(() => undefined)
    try {
      const rows = await Promise.race([answer, late])
      if (sql === session) {
        known = true
        alive_until = sent_at + IDLE_MS - MARGIN_MS
      }
      return rows
    } catch (error) {
      // the driver would send the next statement on it too
      if (isLost(error)) giveUp()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    ask,
    alive: () => performance.now() < alive_until,
    async close() {
      clearInterval(beat)
      beat = undefined
      await sql?.end({ timeout: 1 })
    },
  }
}

function openSession(url: string, application_name: string, holds_locks: boolean, onclose: () => void): postgres.Sql {
  const server = serverOf(url)
  return postgres(server.url, {
    ...server.options,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    keep_alive: VANISHED_PEER.keep_alive_s,
    backoff: reconnectDelay,
    // no arrays here; see createDb
    fetch_types: false,
    connection: {
      application_name,
      ...LONG_STARTUP,
      ...VANISHED_PEER.session,
      statement_timeout: CONNECT_MS,
      ...(holds_locks && { idle_session_timeout: IDLE_MS }),
    },
    onnotice: () => undefined,
    onclose,
  })
}
