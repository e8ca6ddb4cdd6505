import { migrate } from './migrate.ts'

const url = process.env['DATABASE_URL']
if (!url) throw new Error('DATABASE_URL is not set: it names the database to migrate')
process.stdout.write(`${JSON.stringify(await migrate(url))}\n`)
