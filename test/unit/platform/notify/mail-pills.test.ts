import { describe, expect, test } from 'vitest'
import { mailBody } from '#platform/notify/mail-body.ts'
import { demoNotice } from '#test/support/demo-notice.ts'
import { digestNotice } from '#test/support/digest-notice.ts'
import { gateNotice, HOSTILE, resolvedNotice } from '#test/support/gate-notice.ts'

const pillsOf = (html: string) =>
  [...html.matchAll(/<span style="([^"]*)">([^<]*)<\/span>/g)].map(([, style = '', text = '']) => ({ style, text }))

describe('the pills of a mail', () => {
  test('say severity, risk and what has become of it, in this order', () => {
    expect(pillsOf(mailBody(demoNotice()).html).map(({ text }) => text)).toEqual(['■ critical', '▄ medium risk'])
    expect(pillsOf(mailBody(gateNotice()).html).map(({ text }) => text)).toEqual(['█ high risk'])
    expect(pillsOf(mailBody(resolvedNotice()).html).map(({ text }) => text)).toEqual(['█ high risk', '✓ approved'])
    expect(pillsOf(mailBody(digestNotice()).html)).toEqual([])
  })

  test('bring their own ground, so that a dark mail program leaves them readable', () => {
    for (const { style } of pillsOf(mailBody(demoNotice()).html))
      expect(style).toMatch(/;color:#\w{6};background:#\w{6}$/)
  })

  test('keep the severity of a sender as text', () => {
    const alert = { title: 'x', service: 'y', source: 'z', severity: HOSTILE }
    const { html, subject } = mailBody(gateNotice({ alert }))
    expect(html).not.toContain('<img')
    expect(pillsOf(html)).toHaveLength(2)
    expect(subject).not.toMatch(/[\r\n]/)
  })
})
