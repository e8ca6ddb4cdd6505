import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { draft } from '#test/unit/core/audit/drafts.ts'
import { keptLog } from './temporary-log.ts'

/** Appends to the log named by the first argument until it is killed; prints the number of every acknowledged record. */
const sink = await openFileSink({ path: process.argv[2] ?? '', log: keptLog(), lock_wait_ms: 0 })
let n = 0
const write = async (): Promise<never> => {
  for (;;) {
    const [record] = await sink.append([draft(++n)])
    process.stdout.write(`${record?.seq}\n`)
  }
}
await Promise.all(Array.from({ length: 8 }, write))
