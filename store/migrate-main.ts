import { migrate } from './migrate.ts'

const url = process.env['DATABASE_URL']
if (!url) throw new Error('DATABASE_URL is not set: it names the database to migrate, as its owner')
const app_password = process.env['SVC_APP_PASSWORD']
process.stdout.write(`${JSON.stringify(await migrate(url, app_password ? { app_password } : {}))}\n`)
