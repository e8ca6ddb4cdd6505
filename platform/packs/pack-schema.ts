import { z } from 'zod'
import { IngressSpec } from '#core/ingress/ingress-schema.ts'
import { Slug } from '#core/names/name-schema.ts'

const VERSION = 'a semantic version such as 1.0.0, in quotes'
const DIGEST = 'sha256: and 64 hexadecimal digits in lower case, on one line'
const Globs = z.array(z.string().min(1).max(200), 'a list of files in this pack').max(200)
const Text = z.string().min(1).max(4_000)

/** `pack.yaml`. Templates, rules and policies are found in their folders; `templates` and `policies` may list them, as a complete list. */
export const PackManifest = z.strictObject({
  apiVersion: z.literal('svc/v1', 'apiVersion must be svc/v1'),
  name: Slug,
  version: z.string(VERSION).regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/, VERSION),
  title: Text,
  description: Text.optional(),
  license: Text.optional(),
  maintainers: z.array(Text).default([]),
  requires: z.strictObject({ svc: Text.optional(), packs: z.record(z.string(), Text).optional() }).optional(),
  capabilities: z.array(Text).default([]),
  connections: z
    .array(z.strictObject({ id: Text, kind: Text, optional: z.boolean().default(false), description: Text.optional() }))
    .default([]),
  templates: z.array(z.strictObject({ id: Slug, file: Text })).optional(),
  policies: Globs.optional(),
  metrics: Globs.default([]),
  digest: z
    .string(DIGEST)
    .regex(/^sha256:[0-9a-f]{64}$/, DIGEST)
    .optional(),
  ingress: z.array(IngressSpec, 'a list of ingresses').default([]),
})
export type PackManifest = z.output<typeof PackManifest>
