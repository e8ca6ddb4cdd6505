import { expect, it } from 'vitest'
import { createChecks } from '#cli/check-runtime.ts'
import { temporaryFolder } from '../packs/pack-folder.ts'

const PACK = `apiVersion: svc/v1
name: shop
version: 1.0.0
title: Shop
ingress:
  - name: orders
    verify: { scheme: github, secret: env:SHOP_HOOK_SECRET }
    normalize: { service: body.shop, symptom: '"order"', severity: '"low"', status: '"firing"', external_id: body.id, title: body.id }
    rules: [{ name: order, on: ingress, run: sre/service-recovery, inputs: { url: "\${{ alert.title }}" } }]
`

it('an ingress of its own without a secret is told, one that ships is not', () => {
  const folder = temporaryFolder()
  try {
    folder.write({ 'packs/shop/pack.yaml': PACK })
    const places = () => ({
      home: folder.root,
      policiesDir: `${folder.root}/policies`,
      packsDir: `${folder.root}/packs`,
      pipelinesDir: `${folder.root}/pipelines`,
      publicUrl: '',
      models: { file: `${folder.root}/models.yaml` },
    })
    const reported = (env: Record<string, string>) => {
      const checks = createChecks(places, env)
      const deployment = checks.deployment()
      expect(deployment.findings).toEqual([])
      return checks.secrets(deployment)
    }
    expect(reported({})).toEqual([
      {
        file: 'shop/pack.yaml',
        line: expect.any(Number),
        message: expect.stringMatching(/^the ingress shop\/orders lets nothing in: .*SHOP_HOOK_SECRET/),
        warning: true,
      },
    ])
    expect(reported({ SHOP_HOOK_SECRET: 'a secret that is long enough to sign with' })).toEqual([])
  } finally {
    folder.remove()
  }
})
