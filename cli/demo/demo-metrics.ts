import { Counter, Gauge, Registry } from 'prom-client'

export interface DemoMetrics {
  /** content type of `text` */
  type: string
  count(method: string | undefined, status: number): void
  /** the text of a scrape */
  text(): Promise<string>
}

/** The demo service's metrics for Prometheus. */
export function createDemoMetrics(isUp: () => boolean): DemoMetrics {
  const register = new Registry()
  new Gauge({
    name: 'demo_up',
    help: '1 while the service is well, 0 while it is ill',
    registers: [register],
    collect() {
      this.set(isUp() ? 1 : 0)
    },
  })
  const requests = new Counter({
    name: 'demo_requests_total',
    help: 'Requests that were answered',
    labelNames: ['method', 'code'],
    registers: [register],
  })
  return {
    type: register.contentType,
    count: (method = 'GET', code) => requests.inc({ method, code }),
    text: () => register.metrics(),
  }
}
