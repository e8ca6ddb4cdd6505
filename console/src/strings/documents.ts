/** Texts of every form that edits YAML. */
export const DOCUMENTS = {
  editor_loading: 'The editor is loading…',
  editor_hint: 'Ctrl Space completes keys and values. Tab leaves the editor. Problems are listed below it.',
  required: 'required',
  problems: 'Problems',
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
  unsaved: 'There are changes that are not saved.',
  conflict: {
    title: 'Somebody else has changed it in the meantime',
    said: 'Nothing was saved, and nothing is lost. Both versions are shown here.',
    theirs: 'As it is saved now',
    mine: 'As you have written it',
    take: 'Take theirs, discard mine',
    keep: 'Keep mine, and save it over theirs',
  },
} as const
