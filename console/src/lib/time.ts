/** The reader's own. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' })

/** In the reader's zone and manner. */
export const timeText = (iso: string) => short.format(new Date(iso))
/** With the zone by name. */
export const fullTimeText = (iso: string) => full.format(new Date(iso))
