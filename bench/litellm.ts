import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { cpuMs } from './cpu.ts'
import type { Served } from './served.ts'

const READY_WITHIN_MS = 90_000

/** The key of the load: LiteLLM starts only with a long one. */
export const MODEL_KEY = 'sk-bench-1f0c8a3e5d7b9042c6e8a1f3b5d79024'

/**
 * LiteLLM's proxy with a budget, if `BENCH_LITELLM` names its program (`pip install 'litellm[proxy]'`). Its budget is the one it keeps in
 * memory: the one in PostgreSQL needs an engine of Prisma that no package registry has.
 */
export async function startLitellm(upstream: string, models: readonly string[]): Promise<Served | undefined> {
  const program = process.env['BENCH_LITELLM']
  if (program === undefined) return undefined
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-litellm-'))
  const config = {
    model_list: models.map((model) => ({
      model_name: model,
      litellm_params: {
        model: `openai/${model}`,
        api_base: `${upstream}/v1`,
        api_key: 'none',
        input_cost_per_token: 1.5e-7,
        output_cost_per_token: 6e-7,
      },
    })),
    router_settings: { provider_budget_config: { openai: { budget_limit: 1_000_000, time_period: '1d' } } },
    litellm_settings: { num_retries: 0, telemetry: false },
  }
  await writeFile(join(dir, 'config.yaml'), JSON.stringify(config))
  const port = await findFreePort(14_000)
  const child = spawn(program, ['--config', join(dir, 'config.yaml'), '--host', '127.0.0.1', '--port', String(port)], {
    env: { ...process.env, LITELLM_LOG: 'ERROR', LITELLM_MASTER_KEY: MODEL_KEY, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  for (;;) {
    if (child.exitCode !== null) throw new Error(`LiteLLM ended with ${child.exitCode}`)
    const answer = await fetch(`${url}/health/liveliness`).catch(() => undefined)
    if (answer?.ok === true) break
    if (performance.now() - began > READY_WITHIN_MS) throw new Error('LiteLLM does not answer')
    await sleep(200)
  }
  return {
    url,
    cpu_ms: () => cpuMs(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
