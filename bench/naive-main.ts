import { startNaiveAlerts } from './naive-alerts.ts'

const naive = await startNaiveAlerts(process.env['DATABASE_URL'] ?? '')
process.on('SIGTERM', () => void naive.stop().then(() => process.exit(0)))
process.send?.({ url: naive.url })
