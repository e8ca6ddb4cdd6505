/** How long a test waits for what has to come: long beside any load, because only a fault costs it. A time that is promised has a limit of its own. */
export const PATIENCE = { timeout: 90_000, interval: 20 }
