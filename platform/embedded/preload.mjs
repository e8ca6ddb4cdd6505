// Given to node with --import: loads a program's modules while its servers are still starting, then waits for its settings.
// The main module runs only after this one, with the environment it would have had from the beginning.
import { once } from 'node:events'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

// threads inherit the flags of their process
if (isMainThread) {
  const configured = once(process, 'message')
  // a program that has no handler of its own yet must not outlive its supervisor
  process.once('disconnect', () => setTimeout(() => process.exit(1), 15_000).unref())
  await import(new URL(import.meta.url).searchParams.get('module') ?? '')
  const [message] = await configured
  Object.assign(process.env, message.env)
}
