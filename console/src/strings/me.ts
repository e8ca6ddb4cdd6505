/** The words of one's own page. */
export const ME = {
  title: 'You',
  facts: {
    name: 'Name',
    email: 'Mail address',
    id: 'Id',
    roles: 'Roles',
    approval_roles: 'Approval roles',
    seen: 'Last sign-in',
    zone: 'Times are shown in',
  },
  open_mode: 'Authentication is off: there is no signed-in user who could be away or have a password.',
  away: {
    title: 'While you are away',
    intro:
      'Until then, the person you name answers gates with your approval roles as well as their own. What they answer is on record as theirs, for you.',
    until: 'Away until',
    delegate: 'Who answers for you',
    nobody: 'nobody',
    no_delegates: 'There is nobody else in your workspaces who can sign in.',
    save: 'Save',
    saving: 'Saving…',
    end: 'I am back',
    now: 'You are away until',
    by: (who: string) => `${who} answers for you.`,
    by_nobody: 'Nobody answers for you.',
    not_now: 'You are not away.',
  },
  answering: {
    title: 'Service accounts that may answer for you',
    intro:
      'A service account that you name here answers gates in your name, and its answers count as your votes. You get a mail when it does, where a gate is told by mail. What it has answered no longer counts at open gates once you stop it.',
    empty:
      'No service account of your workspaces could answer for you. If you want one, ask an owner or admin to invite it with the role service and the scope approvals:on_behalf.',
    answers: 'answers for you',
    not: 'does not answer for you',
    cannot:
      'you have named it, but it cannot answer now: it is disabled, lacks the scope, or is no longer in your workspaces',
    let: 'Let it answer',
    stop: 'Stop it',
    let_named: (who: string) => `Let it answer: ${who}`,
    stop_named: (who: string) => `Stop it: ${who}`,
  },
  password: {
    title: 'Password',
    current: 'The password that you have',
    next: 'The new one',
    hint: 'At least 12 characters. It ends every session of yours, this one too.',
    set: 'Set the new password',
    done: 'The password is changed. Sign in with it.',
  },
} as const
