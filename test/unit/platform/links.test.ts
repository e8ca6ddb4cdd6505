import { expect, it } from 'vitest'
import { linkProblem } from '#platform/links.ts'

const remote = { name: 'chat', host: 'slack.com' }
const local = { name: 'sink', host: '127.0.0.1' }

it.each([
  ['http://127.0.0.1:8080', [remote, local]],
  ['http://localhost:8080', [remote]],
  ['http://[::1]:8080', [remote]],
])('links to %s are of no use to those who are told elsewhere', (url, channels) => {
  expect(linkProblem(url, channels)).toBe(
    `links in the messages of chat lead to ${url}, which works on this machine alone: set SVC_PUBLIC_URL to the address under which people reach it`,
  )
})

it.each([
  ['https://svc.example.test', [remote]],
  ['http://127.0.0.1:8080', [local, { name: 'six', host: '[::1]' }]],
  ['http://127.0.0.1:8080', []],
])('links to %s lead somewhere for everybody who gets one', (url, channels) => {
  expect(linkProblem(url, channels)).toBeUndefined()
})
