import { startTestService, type TestService } from './service.ts'
import { startSlackEmulator } from './slack-emulator.ts'
import { type ReceivedMail, startSmtpSink } from './smtp-sink.ts'
import { startWebhookSink } from './webhook-sink.ts'

export const SLACK_SIGNING = 'the signing secret of the tests'
const SLACK_TOKEN = 'xoxb-emulated'
const HOOK_SECRET = `whsec_${Buffer.from('a secret of the webhook tests').toString('base64')}`
const MASTER_KEY = 'a master key of the tests, long enough'

export interface NotifiedOptions {
  postgres_url: string
  temporal_address: string
  env?: Record<string, string>
  /** more lines under `approval:` of the environment `development` */
  approval?: string
}

/** The whole service with a mail server, a webhook receiver and a chat to tell about its gates. */
export async function startNotifiedService(options: NotifiedOptions) {
  const mail = await startSmtpSink()
  const hook = await startWebhookSink(HOOK_SECRET)
  const slack = await startSlackEmulator(SLACK_TOKEN, { U0ALICE: 'alice@example.test' })
  const channels = `
- { name: hook, kind: webhook, url: "${hook.url}", secret: env:TEST_HOOK_SECRET }
- { name: chat, kind: slack, channel: "#ops", token: env:TEST_SLACK_TOKEN, signing_secret: env:TEST_SLACK_SIGNING, api_url: "${slack.api_url}" }
- { name: mail, kind: email, smtp: "${mail.url}", from: svc@example.test, to: [oncall@example.test, second@example.test] }
- { name: boss, kind: email, smtp: "${mail.url}", from: svc@example.test, to: [boss@example.test] }
`
  const service: TestService = await startTestService({
    postgres_url: options.postgres_url,
    temporal_address: options.temporal_address,
    files: {
      'channels.yaml': channels,
      'environments/development.yaml': `name: development\napproval: { channels: [hook, chat, mail], escalate_to: [boss]${options.approval ?? ''} }\n`,
      'environments/sandbox.yaml':
        'name: sandbox\nclass: sandbox\negress: [loopback]\nnotify: { on: [failed], channels: [hook, boss] }\n',
      'environments/staging.yaml':
        'name: staging\nclass: staging\negress: [loopback]\napproval: { channels: [mail], remind_after: 5s, escalate_after: 6s, escalate_to: [boss], links: false }\n',
    },
    env: {
      SVC_SECRET_KEY: MASTER_KEY,
      TEST_HOOK_SECRET: HOOK_SECRET,
      TEST_SLACK_TOKEN: SLACK_TOKEN,
      TEST_SLACK_SIGNING: SLACK_SIGNING,
      ...options.env,
    },
  })
  return {
    service,
    mail,
    hook,
    slack,
    async stop(): Promise<void> {
      await service.stop()
      await Promise.all([mail.close(), hook.close(), slack.close()])
    },
  }
}

export type NotifiedService = Awaited<ReturnType<typeof startNotifiedService>>

/** The link and the code as a person reads them in a mail. */
export function linkIn(mail: ReceivedMail): { url: string; code: string } {
  const text = mail.parts['text/plain'] ?? ''
  const url = /https?:\/\/\S+\/triggers\/approve\/\S+/.exec(text)?.[0] ?? ''
  const code = /Code for the link: (\S+)/.exec(text)?.[1] ?? ''
  return { url, code }
}
