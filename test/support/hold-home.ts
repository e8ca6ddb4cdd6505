// Takes a data directory and says so, or says who has it: hold-home.ts <home>. It holds it until it is ended.
import { lockHome } from '#platform/embedded/home-lock.ts'

lockHome(process.argv[2] ?? '').then(
  () => {
    process.stdout.write('held\n')
    setInterval(() => undefined, 1_000)
  },
  (error: Error) => void process.stdout.write(`${error.message}\n`),
)
