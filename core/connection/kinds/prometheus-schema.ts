import { z } from 'zod'
import { BasicUser, defineKind } from './define-kind-schema.ts'
import { baseUrl, OVER_HTTP } from './over-http-schema.ts'

const PrometheusConfig = z.strictObject({
  base_url: baseUrl({
    title: 'Base URL',
    description: 'Of Prometheus, or of what answers `/api/v1/query` as it does',
    example: 'https://prometheus.example.com/',
  }),
  user: BasicUser,
})

export const prometheusKind = defineKind({ ...OVER_HTTP, title: 'Prometheus', config: PrometheusConfig })
