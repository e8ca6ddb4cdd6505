import { setTimeout as sleep } from 'node:timers/promises'
import { createDb } from '#store/db.ts'

/** Ends every session of the database but its own. */
export async function terminateSessions(owner_url: string): Promise<void> {
  await asAdmin(owner_url, async (admin) => {
    await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`
  })
}

/** Kills a process of the database, the numberer of the bus if it is at work: the server then ends all others and recovers. */
export async function killBackend(owner_url: string): Promise<void> {
  await asAdmin(owner_url, async (admin) => {
    const [victim] = await admin<{ pid: number }[]>`
      select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
      order by (query like '%number_bus_messages%') desc, (state = 'active') desc limit 1`
    if (victim === undefined) throw new Error('the database has no sessions to kill')
    process.kill(victim.pid, 'SIGKILL')
  })
}

/** Resolves when the database takes sessions again. */
export async function databaseAnswers(owner_url: string): Promise<void> {
  for (const until = performance.now() + 30_000; ; ) {
    try {
      return await asAdmin(owner_url, async (admin) => void (await admin`select 1`))
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(50)
    }
  }
}

async function asAdmin(url: string, work: (db: ReturnType<typeof createDb>) => Promise<void>): Promise<void> {
  const admin = createDb(url, { max: 1, name: 'test-faults' })
  try {
    await work(admin)
  } finally {
    await admin.end({ timeout: 1 })
  }
}
