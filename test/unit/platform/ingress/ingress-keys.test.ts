import { expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import { ingressProblems } from '#platform/ingress/ingress-problems.ts'

const OTHER = 'ws_0000000000000000000000000a'
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms'

const ingress = (name: string, verify: object, enabled = true): Ingress => ({
  pack: 'sre',
  name,
  enabled,
  verify: verify as Ingress['verify'],
  normalize: { labels: {}, annotations: {} } as Ingress['normalize'],
  rules: [],
})
const github = (name: string, ...secret: string[]) => ingress(name, { scheme: 'github', secret })

const closed = (all: Ingress[], env: Record<string, string>, workspace = DEFAULT_WORKSPACE_ID) =>
  ingressProblems([{ ingress: all.slice(0, 1) }, { ingress: all.slice(1) }], workspace, env).map((each) => each.ingress)

it('two ingresses that share a secret are both closed, also across packs, schemes, names and a rotation', () => {
  const env = { A: 'one', B: 'one', NEW: 'two' }
  const [a, b] = [github('a', 'env:A'), github('b', 'env:NEW', 'env:B')]
  expect(closed([a, github('b', 'env:A')], env)).toEqual(['sre/a', 'sre/b'])
  expect(closed([a, b], env)).toEqual(['sre/a', 'sre/b'])
  expect(closed([a, ingress('c', { scheme: 'slack', secret: ['env:B'] })], env)).toEqual(['sre/a', 'sre/c'])
  expect(closed([a, github('b', 'env:NEW')], env)).toEqual([])
  const [first] = ingressProblems([{ ingress: [a, b] }], DEFAULT_WORKSPACE_ID, env)
  expect(first?.message).toMatch(/^sre\/b has the same secret/)
  expect(first?.message).not.toContain('one,')
})

it('what is disabled or lacks a secret shares nothing, and each workspace counts for itself', () => {
  const env = { A: 'one', B: 'one', [`A__${OTHER.toUpperCase()}`]: 'x', [`C__${OTHER.toUpperCase()}`]: 'x', C: 'two' }
  const a = github('a', 'env:A')
  expect(closed([a, ingress('off', { scheme: 'github', secret: ['env:B'] }, false)], env)).toEqual([])
  expect(closed([a, github('b', 'env:B', 'env:UNSET')], env)).toEqual(['sre/b'])
  expect(closed([a, github('c', 'env:C')], env)).toEqual([])
  expect(closed([a, github('c', 'env:C')], env, OTHER)).toEqual(['sre/a', 'sre/c'])
})

it('a topic of SNS belongs to one ingress', () => {
  const sns = (name: string, topic: string) => ingress(name, { scheme: 'sns', topic: [topic] })
  expect(closed([sns('a', TOPIC), sns('b', 'env:TOPIC')], { TOPIC })).toEqual(['sre/a', 'sre/b'])
  expect(closed([sns('a', TOPIC), sns('b', 'env:TOPIC')], { TOPIC: `${TOPIC}-of-others` })).toEqual([])
})
