import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { noticeEvent } from '#platform/notify/kinds/webhook.ts'
import { mailBody } from '#platform/notify/mail-body.ts'
import { slackMessage } from '#platform/notify/slack-blocks.ts'
import { demoNotice } from '#test/support/demo-notice.ts'

const PAGE = new URL('../../../docs/notifications.md', import.meta.url)

const mail = mailBody(demoNotice())

test.each([
  ['mail', 'text', `Subject: ${mail.subject}\n\n${mail.text}`],
  ['html', 'html', `${mail.html}\n`],
  ['slack', 'json', `${JSON.stringify(slackMessage('chat', demoNotice()), null, 1)}\n`],
  ['webhook', 'json', `${JSON.stringify(noticeEvent(demoNotice()), null, 1)}\n`],
])('docs/notifications.md shows the %s of the demo as it is sent', (name, language, sent) => {
  const section = new RegExp(`(<!-- ${name}: written by npm run pins -->\\n)([\\s\\S]*?)(<!-- /${name} -->)`)
  const shown = `\`\`\`${language}\n${sent}\`\`\`\n`
  if (process.env['UPDATE_PINS'] === '1') {
    const page = readFileSync(PAGE, 'utf8')
    writeFileSync(
      PAGE,
      page.replace(section, (_all, start: string, _old, end: string) => `${start}${shown}${end}`),
    )
  }
  // Slack keeps its code in three backticks, which end the fence for nobody who reads the page as JSON
  expect(section.exec(readFileSync(PAGE, 'utf8'))?.[2], 'it is sent otherwise. On purpose? npm run pins').toBe(shown)
})
