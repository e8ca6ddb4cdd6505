import { createServer } from 'node:net'
import { startPostgres } from '#platform/embedded/postgres.ts'
import { startTemporal, type WebUiAddress } from '#platform/embedded/temporal.ts'
import { createDb } from '#store/db.ts'
import { createTestHome, temporalProgram, testLog } from './embedded.ts'

/** Servers in homes of their own; `cleanUp` after the test ends and removes them, the last one first. */
export function createEmbeddedHomes() {
  const cleanups: (() => Promise<unknown>)[] = []
  return {
    cleanups,
    async cleanUp(): Promise<void> {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
    },
    async newHome(): Promise<string> {
      const { home, remove } = await createTestHome()
      cleanups.push(remove)
      return home
    },
    async openPostgres(home: string, port?: number) {
      const server = await startPostgres({ home, log: testLog, ...(port !== undefined && { port }) })
      cleanups.push(server.stop)
      return server
    },
    async openTemporal(home: string, port = 27_433, ui?: WebUiAddress) {
      const program = await temporalProgram()
      const server = await startTemporal({ home, ...program, port, ui, log: testLog, synchronous: 1 })
      cleanups.push(server.stop)
      return server
    },
    /** Holds a port for the length of the test. */
    async occupy(port: number): Promise<void> {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      cleanups.push(() => new Promise((resolve) => server.close(resolve)))
    },
  }
}

/** One exchange with a database that may be gone in the next moment. */
export async function queryOnce<T>(url: string, work: (db: ReturnType<typeof createDb>) => Promise<T>): Promise<T> {
  const db = createDb(url, { max: 1 })
  try {
    return await work(db)
  } finally {
    await db.end({ timeout: 1 })
  }
}
