import { createColors, isColorSupported } from 'picocolors'

/** Colours at a terminal, unless `NO_COLOR` is set; never in what is piped or kept. */
export const pc = createColors(isColorSupported && process.stdout.isTTY === true)
