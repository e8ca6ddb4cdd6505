/** Words of what is written as YAML, whatever it is. */
export const DOCUMENTS = {
  editor_loading: 'The editor is loading…',
  editor_hint: 'Tab leaves the editor. Its problems are listed below it.',
  problems: 'Problems',
  none: 'No problem was found.',
  warning: 'Warning',
  error: 'Error',
  place: (line: number, column: number | undefined) =>
    column === undefined ? `Line ${line}` : `Line ${line}, column ${column}`,
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved.',
  loosens: (what: string) => `Saved. Something may be laxer now: ${what}.`,
  remove: 'Delete',
  really: (what: string) => `Delete ${what} for good?`,
  yes: 'Yes, delete it',
  no: 'Keep it',
  by: 'Last written by',
  unsaved: 'There are changes that are not saved.',
  conflict: {
    title: 'Somebody else has changed it meanwhile',
    said: 'Nothing of yours is lost, and nothing of theirs was overwritten. Both versions stand here.',
    theirs: 'As it is saved now',
    mine: 'As you have written it',
    take: 'Take theirs, and drop mine',
    keep: 'Go on with mine, to save it over theirs',
  },
} as const
