/** The samples of one scrape. */
export interface Figures {
  /** 0 for a series that is not there yet */
  value(name: string, labels?: Record<string, string>): number
  /** every value of a label */
  values(label: string): string[]
}

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?(?:[0-9.]+(?:e[+-]?[0-9]+)?|Inf)|\+Inf|NaN)$/i
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped']

/** Reads the text format 0.0.4 strictly: throws at whatever Prometheus would refuse. */
export function parseMetrics(text: string): Figures {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const types = new Map<string, string>()
  const helps = new Set<string>()
  const samples = new Map<string, Sample>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line)
    if (comment !== null) {
      const [, kind, name = '', rest = ''] = comment
      if (kind === 'HELP') helps.add(name)
      else if (types.has(name) || !TYPES.includes(rest)) throw new Error(`bad type line: ${line}`)
      else types.set(name, rest)
      continue
    }
    const sample = parseSample(line)
    const family = types.has(sample.name) ? sample.name : sample.name.replace(/_(bucket|sum|count|total)$/, '')
    if (!types.has(family) || !helps.has(family)) throw new Error(`a sample without type or help: ${line}`)
    const key = keyOf(sample.name, sample.labels)
    if (samples.has(key)) throw new Error(`twice: ${line}`)
    samples.set(key, sample)
  }
  return {
    value: (name, labels = {}) => samples.get(keyOf(name, labels))?.value ?? 0,
    values: (label) => [...samples.values()].flatMap((sample) => sample.labels[label] ?? []),
  }
}

function parseSample(line: string): Sample {
  const match = SAMPLE.exec(line)
  if (match === null) throw new Error(`not a sample: ${line}`)
  const [, name = '', inside = '', value = ''] = match
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inside.length) {
    const label = LABEL.exec(inside)
    if (label === null) throw new Error(`bad labels: ${line}`)
    labels[label[1] ?? ''] = label[2] ?? ''
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}

function keyOf(name: string, labels: Record<string, string>): string {
  return JSON.stringify([name, Object.entries(labels).toSorted()])
}
