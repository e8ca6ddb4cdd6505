import { transitionsSql } from './transitions-sql.ts'

process.stdout.write(`${transitionsSql()}\n`)
