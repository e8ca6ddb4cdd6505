/** What is told of each bad bundle, after the name of its file. */
export const SAID: Record<string, string[]> = {
  'an unknown key of a step': ['13:9: time_out: unknown key "time_out"; did you mean timeout?'],
  'a misspelt key of a step': ['12:9: timout: unknown key "timout"; did you mean timeout?'],
  'an unknown key of a pipeline': ['9:5: parallel: unknown key "parallel"'],
  'an unknown key of the bundle': ['13:1: version: unknown key "version"'],
  'another apiVersion': ['1:13: apiVersion: apiVersion must be svc/v1; did you mean svc/v1?'],
  'no pipelines': ['2:12: pipelines: a bundle needs at least one pipeline'],
  'a name with capitals': ['3:3: a pipeline has a name of lower-case letters, digits and dashes, at most 64'],
  'no title': ['4:5: title: a title: a few words that say what it does'],
  'no steps': ['9:12: steps: a pipeline needs at least one step'],
  'more than 200 steps': ['10:7: steps: more than 200 steps; split the pipeline'],
  'a step that does nothing': ['10:13: step a does nothing: give it uses, schedule or on'],
  'a step with two kinds': [
    '13:9: a step has exactly one of uses, schedule and on, but a has uses and schedule; split it',
  ],
  'an id that no expression can name': [
    '10:13: id: a step id of letters, digits and underscores, not a digit first: expressions name it',
  ],
  'an id that is used twice': ['13:13: step id a is used twice; give this step another one'],
  'an unknown template': ['11:15: there is no template data/profil; did you mean data/profile?'],
  'a template without its pack': ['11:15: uses: a template is written pack/template, such as data/dataset-profile'],
  'a template that cannot be loaded': [
    '11:15: data/torn cannot be loaded, so this step cannot be checked: fix its pack first',
  ],
  'a need that there is not': ['16:17: there is no step fist; did you mean first?'],
  'a step that needs itself': ['13:17: step a cannot need itself; remove it'],
  'a need that is named twice': ['16:20: step a is named twice; remove one'],
  'needs that are no list': ['16:16: needs: a list of step ids, such as [profile]'],
  'a circle': [
    '13:17: these steps wait for each other, so none of them ever begins: a needs c needs b needs a; remove one of these needs',
  ],
  'two circles': [
    '13:17: these steps wait for each other, so none of them ever begins: a needs b needs a; remove one of these needs',
    '21:17: these steps wait for each other, so none of them ever begins: c needs d needs c; remove one of these needs',
  ],
  'a condition that is always false': [
    '13:15: step a never begins: its condition is always false; remove the step, or the condition',
    '17:16: step b never begins, because none of the steps it needs (a) ever does',
  ],
  'a condition that is false without anything known': [
    '13:15: step a never begins: its condition is always false; remove the step, or the condition',
  ],
  'a condition that is a text': ['13:15: a condition is true or false, this is a string'],
  'a condition in braces': [`13:15: this is bare CEL: write it without \${{ }}`],
  'a condition with a wrong type': [`13:16: expression \`1 + 'a' == 2\`: no such overload: int + string`],
  'a condition that is no CEL': [`13:29: expression \`inputs.count >\`: Unexpected token: EOF`],
  'an unknown variable': ['13:15: unknown variable input: there are inputs, steps, pipeline; did you mean inputs?'],
  'an unknown input': ['13:15: there is no inputs.cuont: there are url, count; did you mean count?'],
  'an unknown member of the pipeline': [
    '13:15: there is no pipeline.env: there are id, workspace_id, environment, name, reason',
  ],
  'an item outside of for_each': ['13:27: unknown variable item: there are inputs, steps, pipeline'],
  'an event outside of matches': ['13:15: unknown variable event: there are inputs, steps, pipeline'],
  'a step that need not have ended': [
    '17:15: step profile may not have ended by then: add it to the needs of this step, or of a step that this one needs',
  ],
  'a step that comes later': [
    '13:15: step b may not have ended by then: add it to the needs of this step, or of a step that this one needs',
  ],
  'a step that there is not': ['18:15: there is no step profil: there are profile; did you mean profile?'],
  'an output that the template has not': [
    '18:15: step profile has no output row: there are rows, tables; did you mean rows?',
  ],
  'an output of a template without outputs': ['17:15: step a has no outputs'],
  'an output of a timer': ['16:15: step t has no output at: there are fired_at'],
  'a field of a step that is no output': [
    '18:15: a step has outputs and status, not rows; write steps.profile.outputs.rows',
  ],
  'an expression that never ends': [`13:23: expression \`\${{ inputs.url\`: the \`\${{\` is never closed by \`}}\``],
  'an unknown input of the template': ['13:25: data/profile has no input row; did you mean rows?'],
  'a missing input of the template': ['10:9: data/profile needs the input url: give it in with'],
  'a literal of the wrong type': ['13:31: rows must be integer'],
  'a literal that is not allowed': ['13:31: mode must be one of "full", "sample"'],
  'an input of the pipeline that is of another type': [
    '13:31: the input rows of data/profile has the type integer, but this has the type string',
  ],
  'a text in the place of a number': [
    '13:31: the input rows of data/profile has the type integer, but this has the type string',
  ],
  'a secret input of the template': [
    '14:20: the input login.password of data/login is secret, but a pipeline stores its inputs: remove it',
  ],
  'an expression for what holds a secret': [
    '13:17: the input login.password of data/login is secret, but a pipeline stores its inputs: remove it',
    '13:24: the input login of data/login has the type object, but this has the type string',
  ],
  'a template that needs a secret': [
    '11:15: data/token needs the secret input token, but a pipeline stores its inputs: it cannot run this template',
  ],
  'an unknown compensation': ['13:21: there is no template data/withdrow; did you mean data/withdraw?'],
  'a compensation that needs what the step does not have': [
    '13:21: data/withdraw needs the input version; a compensation gets the inputs of the run that it undoes, but data/free has no input version',
  ],
  'a compensation that needs what the step does not give': [
    '10:9: data/publish needs the input version: give it in with',
    '13:21: data/withdraw needs the input version; a compensation gets the inputs of the run that it undoes: give version in with',
  ],
  'a compensation that takes another type': [
    '14:21: data/rows gets the inputs of the run that it undoes, but does not accept one of them: rows must be string',
  ],
  'compensate with nothing to take back': [
    '13:21: no step of this pipeline has a compensate, so there is nothing to undo and this is the same as fail (warning)',
  ],
  'an unknown on_failure': ['13:21: on_failure: unknown on_failure "ignore": takes fail, continue, compensate'],
  'an unknown gate': ['13:15: gate: unknown gate "manul": takes none, manual, approval; did you mean manual?'],
  'a gate at a timer': ['12:9: gate only works with uses, but t has schedule: remove it'],
  'for_each at an event': ['13:9: for_each only works with uses, but e has on: remove it'],
  'a compensation of an event': ['13:9: compensate only works with uses, but e has on: remove it'],
  'with at a timer': ['12:9: with only works with uses, but t has schedule: remove it'],
  'matches at a run': [`13:18: matches: bare CEL, in quotes and without \${{ }}`],
  'for_each without items': [
    `13:19: items: bare CEL, in quotes and without \${{ }}: a list such as steps.list.outputs.tables`,
  ],
  'for_each over a YAML list': [
    `13:28: items: bare CEL, in quotes and without \${{ }}: a list such as steps.list.outputs.tables`,
  ],
  'for_each over a text': ['13:28: a list is needed here, this is a string'],
  'for_each over an input that is no list': ['13:28: a list is needed here, but inputs.count has the type integer'],
  'too many at once': ['13:48: parallel: at most 50 runs of a step at once'],
  'no timeout of a run': ['11:9: step a has no timeout: add one, such as timeout: 10m'],
  'no timeout of an event': ['11:9: step e has no timeout: add one, such as timeout: 10m'],
  'a timeout of a timer': ['12:9: a schedule takes no timeout: remove it'],
  'a timeout that is none': [
    '12:18: timeout: "10 minutes" is not a duration such as 90s, 15m, 2h or 7d (at most 30d); did you mean 10m?',
  ],
  'a timeout that is too long': ['12:18: timeout: "31d" is too long: at most 30d'],
  'a timeout that is a number': ['12:18: timeout: a duration such as 90s, 15m, 2h or 7d'],
  'a delay that is none': [
    '11:19: "soon" is neither a delay such as 15m (at most 30d) nor a cron expression such as "0 2 * * *"',
  ],
  'a delay with an unknown unit': [
    '11:19: "5 min" is neither a delay such as 15m (at most 30d) nor a cron expression such as "0 2 * * *"; did you mean 5m?',
  ],
  'a delay that is too long': [
    '11:19: "40d" is neither a delay such as 15m (at most 30d) nor a cron expression such as "0 2 * * *"',
  ],
  'an expression of nothing as a delay': ['11:24: there is no inputs.delay: there are url, count'],
  'a cron expression with a bad hour': ['11:22: 25 is out of range for the hour: 0 to 23'],
  'a cron expression of four fields': [
    '11:27: 4 fields: five fields (minute hour day month weekday), or six with seconds first',
  ],
  'a cron expression that restricts both days': ['11:19: limit the day of the month or the day of the week, not both'],
  'an unknown time zone': ['11:50: "Berlin" is not a time zone of IANA such as Europe/Berlin or UTC'],
  'an unknown key of a schedule': ['11:40: zone: unknown key "zone"'],
  'a topic that is none': [
    '11:13: "pack.>.done" is no topic pattern: words or * set apart by dots, with > or # only as the last',
  ],
  'a topic that no event has': ['11:13: no event has the topic run.succeded; did you mean run.succeeded? (warning)'],
  'a pattern that no event fits': [
    '11:13: no event has the topic gates.*: there are those of runs and gates, and pack.<pack>.<name> (warning)',
  ],
  'an attribute that events do not have': [
    '13:18: there is no event.datas: there are specversion, id, source, type, subject, time, datacontenttype, workspaceid, partitionkey, data; did you mean data?',
  ],
  'a look back that is too long': ['13:20: look_back: "8d" is too long: at most 7d'],
  'a cap of nothing': ['9:14: max_usd: must be more than 0: remove it to use the cap of the environment'],
  'a cap that is a text': ['9:14: max_usd: an amount in US dollars, such as 2.5'],
  'outputs of a step that there is not': ['9:30: there is no step publish: there are a'],
  'an output that is no output': ['9:30: step a has no outputs'],
  'inputs that are no JSON Schema': [
    '6:7: not a valid JSON Schema: schema is invalid: data/properties/count/type must be equal to one of the allowed values, data/properties/count/type must be array, data/properties/count/type must match a schema in anyOf',
  ],
  'inputs with an unknown keyword': ['6:7: not a valid JSON Schema: strict mode: unknown keyword: "requires"'],
  'a secret input': [
    '8:44: the input token is declared secret, but a pipeline stores its inputs: remove it, and let the templates use a connection',
  ],
  'a secret that is referred to elsewhere': [
    `6:7: not a valid JSON Schema: can't resolve reference https://example.com/secret from id #`,
  ],
  'YAML that is none': ['13:20: Flow map in block collection must be sufficiently indented and end with a }'],
  'brackets in a value of a flow mapping': [
    '13:39: Unexpected flow-seq-start at node end: a value with brackets, braces or a comma in it goes in quotes',
  ],
  'a key that is written twice': ['13:9: Map keys must be unique'],
  'a second document': ['13:1: more than one document (---); keep one here'],
  'an alias bomb': ['1:1: Excessive alias count indicates a resource exhaustion attack'],
  'a document that is nested too deep': ['1:1: nested deeper than 32 levels'],
  'an empty file': ['1:1: the document is empty'],
}
