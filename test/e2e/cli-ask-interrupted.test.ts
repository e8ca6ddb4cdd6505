import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY, openTerminal } from '#test/support/cli.ts'
import { PATIENCE } from '#test/support/patience.ts'

/** one that takes a question and never answers */
let silent: Server
let asked: number
let left: number

beforeAll(async () => {
  asked = 0
  left = 0
  silent = createServer((request) => {
    asked += 1
    request.socket.once('close', () => {
      left += 1
    })
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  silent.closeAllConnections()
  silent.close()
})

test('Ctrl-C ends the turn that is under way and the server is told; the session goes on until a second one', async () => {
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const screen = openTerminal(['ask'], { env: { SVC_URL: url, HOME: '/nowhere', SVC_HOME: '/nowhere' } })
  await screen.shows('ask> ')
  screen.type(`what waits?${KEY.enter}`)
  await expect.poll(() => asked, PATIENCE).toBe(1)
  screen.type(KEY.interrupt)
  await screen.shows('stopped')
  await screen.shows('ask> ')
  await expect.poll(() => left, PATIENCE).toBe(1)
  screen.type(`and now?${KEY.enter}`)
  await expect.poll(() => asked, PATIENCE).toBe(2)
  screen.type(KEY.interrupt)
  await screen.shows('stopped')
  screen.type(KEY.interrupt)
  expect(await screen.ended()).toBe(0)
})
