import { expect, test } from 'vitest'
import type { Environment } from '#core/environment/environment.ts'
import { haltAudience } from '#core/notify/halt-audience.ts'

const environment = (
  name: string,
  workspaces: string[],
  channels: Partial<Record<'gate' | 'boss' | 'end', string[]>>,
) =>
  ({
    ...{ name, workspaces },
    approval: { channels: channels.gate ?? [], escalate_to: channels.boss ?? [] },
    ...(channels.end !== undefined && { notify: { on: ['failed'], channels: channels.end } }),
  }) as unknown as Environment

const ENVIRONMENTS = [
  environment('production', ['shop', 'bank'], { gate: ['chat'], boss: ['boss'], end: ['mail'] }),
  environment('staging', ['shop'], { gate: ['chat', 'quiet'] }),
  environment('elsewhere', ['other'], { gate: ['foreign'] }),
]
const SHOP = { id: 'ws_shop', slug: 'shop' }
const BANK = { id: 'ws_bank', slug: 'bank' }

test('a halt is announced on the channels of the environments that its workspaces may use, as far as it covers them', () => {
  expect(haltAudience({}, [SHOP], ENVIRONMENTS)).toEqual(
    new Map([
      ['chat', ['ws_shop']],
      ['boss', ['ws_shop']],
      ['mail', ['ws_shop']],
      ['quiet', ['ws_shop']],
    ]),
  )
  expect([...haltAudience({ environment: 'production' }, [SHOP], ENVIRONMENTS).keys()]).toEqual([
    'chat',
    'boss',
    'mail',
  ])
  expect(haltAudience({}, [SHOP, BANK], ENVIRONMENTS).get('chat')).toEqual(['ws_shop', 'ws_bank'])
  expect(haltAudience({}, [BANK], ENVIRONMENTS).has('quiet')).toBe(false)
  expect(haltAudience({ environment: 'gone' }, [SHOP], ENVIRONMENTS)).toEqual(new Map())
})
