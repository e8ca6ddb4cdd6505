/** The `q`-quantile (0 to 1) of a sample, by the nearest rank. */
export function quantile(sample: number[], q: number): number {
  const sorted = [...sample].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN
}

const median = (sample: number[]): number => quantile(sample, 0.5)

/** Median of paired ratios with a bootstrap 95 % interval. */
export function ratioWithInterval(ratios: number[], rounds = 2_000): { median: number; low: number; high: number } {
  const medians = Array.from({ length: rounds }, () =>
    median(ratios.map(() => ratios[Math.floor(Math.random() * ratios.length)] ?? Number.NaN)),
  )
  return { median: median(ratios), low: quantile(medians, 0.025), high: quantile(medians, 0.975) }
}

export const round = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits

export function interval({ median, low, high }: { median: number; low: number; high: number }): string {
  return `${median} [${low}, ${high}]`
}
