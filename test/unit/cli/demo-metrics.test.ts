import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'

let demo: DemoService
beforeEach(async () => {
  demo = await startDemoService()
})
afterEach(() => demo.stop())

const scrape = async () => {
  const response = await fetch(`${demo.url}/metrics`)
  return { type: response.headers.get('content-type'), text: await response.text() }
}

it('tells Prometheus whether the demo service is well, and how many requests it has answered', async () => {
  await fetch(`${demo.url}/health`)
  expect(await scrape()).toEqual({
    type: expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    text: expect.stringMatching(/^demo_up 1$[\s\S]*^demo_requests_total\{method="GET",code="200"\} 1$/m),
  })
  await fetch(`${demo.url}/fault`, { method: 'POST' })
  expect((await scrape()).text).toMatch(/^demo_up 0$/m)
})

it('is well again by itself, without an action, when its fault is taken away', async () => {
  await fetch(`${demo.url}/fault`, { method: 'POST' })
  await fetch(`${demo.url}/fault`, { method: 'DELETE' })
  expect((await fetch(`${demo.url}/health`)).status).toBe(200)
  expect(demo.state()).toMatchObject({ actions: [], calls: 0 })
})
