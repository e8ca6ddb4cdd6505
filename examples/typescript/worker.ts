import { existsSync, readFileSync } from 'node:fs'
import { NativeConnection, Worker } from '@temporalio/worker'
import { job, progress } from './svc-job.ts'

const {
  TEMPORAL_ADDRESS: address = '127.0.0.1:7233',
  TEMPORAL_NAMESPACE: namespace = 'default',
  TASK_QUEUE: taskQueue = 'hello',
  SVC_JOB_KEY: keyFile = 'worker.pem',
} = process.env
const key = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : undefined

const greet = job(async ({ names }: { names: string[] }, { idempotency_key }) => {
  const greetings: string[] = []
  for (const name of names) {
    await progress({ done: greetings.length, of: names.length })
    greetings.push(`Hello ${name}`)
  }
  return { greetings, idempotency_key }
}, key)

const connection = await NativeConnection.connect({ address })
const worker = await Worker.create({ connection, namespace, taskQueue, activities: { greet } })
await worker.run()
