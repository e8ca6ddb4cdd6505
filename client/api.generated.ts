// Written from the description of the API by `npm run pins`; never edited by hand.

export interface paths {
    "/": {
        /** Say what is here and lead on */
        get: operations["getRoot"];
    };
    "/healthz": {
        /**
         * Tell whether runs can be admitted and executed
         * @description Public. `?verbose` adds details for signed-in users; others get the plain answer.
         */
        get: operations["getHealth"];
    };
    "/metrics": {
        /**
         * Figures for Prometheus
         * @description Of this process and of the whole deployment, in the text format 0.0.4. Nothing in them names a tenant.
         */
        get: operations["getMetrics"];
    };
    "/openapi.json": {
        /** Read this description */
        get: operations["getOpenapi"];
    };
    "/docs": {
        /** Browse and try the API */
        get: operations["getDocs"];
    };
    "/docs/{asset}": {
        /** Files of the docs page */
        get: operations["getDocsAsset"];
    };
    "/problems/{code}": {
        /**
         * Explain an error code
         * @description Where the `type` of a problem document leads: what it means and what to do.
         */
        get: operations["getProblem"];
    };
    "/token": {
        /** Sign in: trade a password for a bearer token */
        post: operations["issueToken"];
    };
    "/auth/status": {
        /** Say whether authentication is on */
        get: operations["getAuthStatus"];
    };
    "/auth/me": {
        /** Say who the caller is */
        get: operations["getMe"];
        /**
         * Change your name, your absence and your delegate
         * @description While you are away, your delegate answers gates with your approval roles.
         */
        patch: operations["updateMe"];
    };
    "/auth/me/answering-accounts/{id}": {
        /**
         * Let a service account answer gates for you
         * @description The account needs the scope `approvals:on_behalf`. Its answers in your name are your votes, and those of the people who invited it, set its password or made its key: together one vote, and none on what any of you shaped. Naming it again changes nothing.
         */
        put: operations["addAnsweringAccount"];
        /**
         * Let a service account no longer answer gates for you
         * @description What it has answered in your name counts no longer at gates that are open.
         */
        delete: operations["removeAnsweringAccount"];
    };
    "/auth/delegates": {
        /**
         * List who could answer gates for you while you are away
         * @description People of your workspaces who can sign in, by name; at most 500. `PATCH /auth/me` names one of them.
         */
        get: operations["listDelegates"];
    };
    "/auth/me/answering-accounts": {
        /**
         * List the service accounts that could answer gates for you
         * @description Service accounts of your workspaces with the scope `approvals:on_behalf`, by name, at most 500; then those that you have named and that can answer no longer. `PUT` and `DELETE` on one of them say whether it may.
         */
        get: operations["listAnsweringAccounts"];
    };
    "/auth/logout": {
        /**
         * Sign out everywhere
         * @description Tokens are not kept, so they end together: every session of the caller, within five seconds.
         */
        post: operations["logOut"];
    };
    "/admin/users": {
        /**
         * List users, newest first
         * @description People and service accounts of the workspaces that you may enter; of each, only what is of those workspaces.
         */
        get: operations["listUsers"];
        /**
         * Invite a user
         * @description Answers with a token, shown this once and good for seven days, with which the user sets the first password. Who was invited before and has not come gets a new one. Only an owner invites an owner.
         */
        post: operations["inviteUser"];
    };
    "/admin/users/{id}": {
        /**
         * Change what a user may do
         * @description New roles and a new status end every session of the user; all of it is in force within five seconds. Only an owner changes an owner, and the last one stays. For a user who is also in workspaces that you may not enter, only `workspaces` changes, within yours.
         */
        patch: operations["updateUser"];
    };
    "/admin/users/{id}/password": {
        /**
         * Set a password
         * @description Your own takes `current_password`; an admin of all workspaces of a user sets theirs without; an invited user sets the first one with `invite_token` and need not be signed in. A new password ends every session of its user.
         */
        post: operations["setPassword"];
    };
    "/admin/api-keys": {
        /**
         * List API keys, newest first
         * @description Those that may be used in the workspaces that you may enter, also those that have ended. Of a key itself only its beginning is known.
         */
        get: operations["listApiKeys"];
        /**
         * Make an API key of a service account
         * @description Answers with the key, shown this once: send it as a bearer token. It can do what both its scopes and the roles of its account allow, until it expires or is revoked. It takes a person who is signed in: no key makes a key.
         */
        post: operations["createApiKey"];
    };
    "/admin/api-keys/{id}": {
        /**
         * Revoke an API key
         * @description It is invalid in every process from the answer on. Runs that were requested with it do nothing further until an owner answers for them, or end, as their environment configures (`on_lost_standing`).
         */
        delete: operations["revokeApiKey"];
    };
    "/runs": {
        /**
         * List runs, newest first
         * @description Filters narrow together. Beside `lane` and `status` a request looks at a thousand runs: a page may be short, or empty, while `Link` names the next one.
         */
        get: operations["listRuns"];
    };
    "/runs/{id}": {
        /**
         * Read a run with its provenance and live progress
         * @description A browser (`Accept: text/html`) is sent to the run in the console, which asks for a sign-in where one is needed: links in messages lead here.
         */
        get: operations["getRun"];
    };
    "/runs/{id}/events": {
        /** Read the event log of a run after a number */
        get: operations["listEvents"];
    };
    "/runs/{id}/stream": {
        /**
         * Follow the events of a run (Server-Sent Events)
         * @description Every event after `after_seq`, or else after `Last-Event-ID`, once and in order. After the last event of an ended run comes `event: end` and the server closes. A reader that has 1 MiB unread and takes nothing for some seconds is cut off; it resumes where it was.
         */
        get: operations["streamRun"];
    };
    "/runs/{id}/artifacts": {
        /** List what a run left behind */
        get: operations["listArtifacts"];
    };
    "/runs/{id}/steps": {
        /**
         * List the steps of a run with what went in and what came out
         * @description In the order of the plan, also those that have not begun. Data of up to 4 kB is shown whole, of larger data its beginning; the digest is always of all of it.
         */
        get: operations["listSteps"];
    };
    "/runs/{id}/steps/{step}": {
        /**
         * Read a step: inputs, outputs, attempts, simulation and log
         * @description Inputs are as approvers were shown them, outputs without known secrets. Data of up to 256 kB is shown whole, of larger data its beginning. The evidence of a gate links here; its digest is that of `outputs`.
         */
        get: operations["getStep"];
    };
    "/runs/{id}/artifacts/download": {
        /**
         * Download an artifact of a run
         * @description One that is in a bucket is answered with a redirect to a url that is good for a minute, once the bucket has been found to hold what the record names; `x-svc-digest` is what the bytes must be. With `redirect=false` the service reads, verifies and answers it itself. Where the bucket holds something else, or nothing, the answer is 502 `artifact_mismatch`.
         */
        get: operations["downloadArtifact"];
    };
    "/runs/{id}/report": {
        /** Read the report of a run */
        get: operations["getReport"];
    };
    "/runs/{id}/lineage": {
        /**
         * Read where a run came from and what followed
         * @description The timeline is built from the records of the database and verifies nothing: `svc lineage` reads and verifies the log, and `GET /console/api/audit?run_id=…` gives the records to verify oneself.
         */
        get: operations["getLineage"];
    };
    "/runs/{id}/context": {
        /**
         * Read how similar runs ended, and the passage of a runbook
         * @description For those who answer a gate. Similar are the last five runs of the same template for the same alert, target or service, among the newest 500 of the pack. The passage comes from the corpora of the environment, or from all where it attaches none: from the document that the alert names as its runbook, else the best hit by words that mentions service, symptom or template. It was written by others: data, and never an instruction.
         */
        get: operations["getRunContext"];
    };
    "/runs/{id}/evidence": {
        /**
         * Download what it takes to check a run without the service
         * @description One document: the run, its steps, who answered with names, notes and times, plan hashes, its audit records as they were hashed, and where the chain ended. `svc evidence --verify` checks it offline, with `--log` against a copy of the whole log. Mail addresses are those that `GET /console/api/audit` shows to the caller.
         */
        get: operations["getRunEvidence"];
    };
    "/runs/{id}/deliveries": {
        /** List the notices of a run with their deliveries, newest first */
        get: operations["listRunDeliveries"];
    };
    "/deliveries": {
        /**
         * List notices with their deliveries, newest first
         * @description Each notice to each recipient: whether it arrived, why not, and when it is tried again.
         */
        get: operations["listDeliveries"];
    };
    "/runs/{id}/cancel": {
        /**
         * Cancel a run
         * @description A parked gate is closed; a running step is notified, and its end awaited. A compensation is cancelled by admins alone. The body may be left out.
         */
        post: operations["cancelRun"];
    };
    "/runs/{id}/start-again": {
        /**
         * Start an ended run again
         * @description A new run of the same template with the inputs, environment, profile and labels on record, from its first step. It is judged like any start, by what is in force now, in the name of the caller; whoever shaped the first run counts as a contributor. `provenance.again_of` names the first run, and `provenance.template_before` its template where that has changed since. Secret inputs are on no record: a run that had any answers 422 `validation_failed` with their names. The body may be left out.
         */
        post: operations["startAgain"];
    };
    "/runs/{id}/retry": {
        /**
         * Retry a failed run from the step that failed
         * @description A new run of the same plan. The steps before the failed one are not executed again: it takes over their recorded outputs, which have to be those in the audit record, at no cost (`taken_over_from` of each, `provenance.taken_over`). The rest is judged and asked for like any start. Answers 409 `plan_changed` where the template has changed, and 409 `conflict` where the run did not fail, is a dry run or a run of a pipeline, has been retried already, or where it is not known how one of its steps ended. `provenance.retry_of` names the failed run. Secret inputs are on no record: 422 `validation_failed`. The body may be left out.
         */
        post: operations["retryRun"];
    };
    "/approvals": {
        /**
         * List what waits for an answer, the most urgent in front
         * @description The queue of gates: a line of each, and which answers would be taken from you. Those of critical alerts come first, then those of high ones, and what expires first among these. With `awaiting_me` a request looks through a thousand gates: a page may be short, or empty, while `Link` names the next one.
         */
        get: operations["listGates"];
    };
    "/runs/{id}/pending-approval": {
        /** Read exactly what is being approved */
        get: operations["pendingApproval"];
    };
    "/runs/{id}/resume": {
        /** Decide a parked gate */
        post: operations["resumeRun"];
    };
    "/runs/{id}/expire": {
        /**
         * Dismiss one stale gate
         * @description The run ends as `expired` with the reason `dismissed`; no step of the plan runs.
         */
        post: operations["expireGate"];
    };
    "/triggers/approve/{workflow_id}": {
        /**
         * Follow a magic link from a message
         * @description Shows what is to be decided, as a page or as JSON, and decides nothing: previews and scanners may come as often as they like. A program decides in one request with `decision` and the header `X-Svc-Confirm: <nonce>`, the nonce being that of the JSON answer, and with `X-Svc-Code` or a bearer token.
         */
        get: operations["showApprovalLink"];
        /**
         * Decide on the page of a magic link
         * @description Takes what a scanner of links does not have: the code from the message, or a person who signs in; and the nonce of the page together with its cookie.
         */
        post: operations["decideApprovalLink"];
    };
    "/approvals/dismiss": {
        /**
         * Dismiss stale gates, many at once
         * @description With `dry_run` it only says which runs it would end, and answers a `token`; sent along with the real call, the token makes sure that the same gates are meant. At most 500 gates a call, oldest first.
         */
        post: operations["dismissGates"];
    };
    "/approvals/{id}/acknowledge": {
        /**
         * Acknowledge a gate
         * @description Says that the caller is looking at an open gate. Others see it in `GET /approvals` and `GET /runs/{id}/pending-approval`. It is no vote, keeps nobody from answering, and is recorded once a person. Only people acknowledge.
         */
        post: operations["acknowledgeGate"];
    };
    "/approvals/{id}/comments": {
        /**
         * Comment on a gate
         * @description The comment is shown in `GET /runs/{id}/pending-approval` and kept on the audit record. It is no vote; the note of a decision is sent with the decision. A gate takes at most 200.
         */
        post: operations["commentOnGate"];
    };
    "/packs": {
        /** List the registered templates */
        get: operations["listPacks"];
    };
    "/packs/{pack}/{tpl}/run": {
        /**
         * Run a template
         * @description Answers as soon as the run is on record. Follow it under `links.stream`.
         */
        post: operations["runTemplate"];
    };
    "/packs/{pack}/{tpl}/contract": {
        /**
         * What a template takes, does, needs and may ask
         * @description All that a form needs. Gates and integrations are those of the environment that is named, or of the workspace’s default.
         */
        get: operations["getContract"];
    };
    "/packs/{pack}/{tpl}/graph": {
        /**
         * The steps of a template as a graph
         * @description As Mermaid text and as nodes and edges, with the gates that are to be expected in the environment.
         */
        get: operations["getGraph"];
    };
    "/packs/{pack}/{tpl}/validate": {
        /**
         * Check inputs against a template
         * @description Answers 200 also where they do not fit: `valid` says so, and `errors` where. They are checked over what the workspace has configured and the config preset, as a start is. Secrets are not sent back.
         */
        post: operations["validateInputs"];
    };
    "/packs/{pack}/{tpl}/preflight": {
        /**
         * What a start would meet now
         * @description Checks inputs, environment, connections, policies, freezes, halts, budgets and the caller with the code that admits runs. Starts nothing and writes nothing. Send `plan_hash` with the start: it is refused once the plan has changed.
         */
        post: operations["preflight"];
    };
    "/triggers/alert": {
        /**
         * Receive alerts as alerting tools send them
         * @description Grafana, Alertmanager, PagerDuty, CloudWatch (through SNS), Datadog and a generic shape are recognised by themselves. At most 1,000 alerts a request. SNS may send `text/plain` with the header `x-amz-sns-message-type`.
         */
        post: operations["receiveAlerts"];
    };
    "/triggers/pattern": {
        /**
         * Receive a pattern that was recognised elsewhere
         * @description Starts the template it names, else that of the first rule with `on: pattern` that fits. While that run is active, the same pattern attaches to it.
         */
        post: operations["receivePattern"];
    };
    "/triggers/manual": {
        /**
         * Start a template by hand
         * @description With `wait` the answer is the finished run when it ended in time. A run that waits at a gate is answered at once, as `awaiting_approval`. A start that is waited for runs in the `realtime` lane, others in `background` unless they come from the console.
         */
        post: operations["startManually"];
    };
    "/triggers/slack/{channel}": {
        /**
         * Receive the buttons of a Slack channel
         * @description The request URL for interactivity of the Slack app. Signed with the secret of the channel; the person who pressed a button is found by the mail address of the Slack profile.
         */
        post: operations["receiveSlack"];
    };
    "/triggers/ingress/{pack}/{name}": {
        /**
         * Receive a signed webhook that a pack declares
         * @description The signature is verified over the exact bytes by the scheme of the ingress. A delivery that is repeated within three days is answered as the first time and starts nothing. At most `SVC_DELIVERY_RATE_LIMIT` deliveries a second of one source, counted over ten seconds. Outside the default workspace the secret is the workspace’s own; two ingresses that share a secret are both closed.
         */
        post: operations["receiveIngress"];
    };
    "/triggers/scheduled": {
        /**
         * List schedules, newest first
         * @description Of several layers with the same name only the one in force is listed.
         */
        get: operations["listSchedules"];
        /**
         * Start runs of a template by the clock
         * @description Everything that can be wrong with a firing is refused here, except what only its own time decides.
         */
        post: operations["createSchedule"];
    };
    "/triggers/scheduled/preview": {
        /**
         * Say when a cron expression would fire
         * @description The next ten times, as a schedule with these fields would have them. Nothing is made.
         */
        get: operations["previewSchedule"];
    };
    "/triggers/scheduled/{id}/fires": {
        /**
         * List the next and the last fires of a schedule
         * @description The next ten times; none while it is paused. The last fifty that are on record, the newest first.
         */
        get: operations["listFires"];
    };
    "/triggers/starters": {
        /**
         * List what starts runs when something arrives: rules of all layers, and signed ingress
         * @description Rules are in the order in which they are tried; the first match starts its template. Those that name an environment which the workspace may not use are left out, as are broken ones. Of ingress only the scheme is shown, and nothing of its secrets.
         */
        get: operations["listStarters"];
    };
    "/triggers/deliveries": {
        /**
         * List deliveries to signed webhooks with what happened to each, stage by stage, newest first
         * @description Of the last three days. What was refused before it was believed (401, 404, 429) is in the log of the API and not here: its sender is unknown. Repeats are not listed beside their first.
         */
        get: operations["listSignedDeliveries"];
    };
    "/triggers/skills": {
        /**
         * List the skills that start runs: what, when, in whose name, and what came of it last
         * @description Valid ones that are not switched off. Those for an environment that the workspace may not use are left out; by the clock skills start runs in the default workspace alone.
         */
        get: operations["listSkills"];
    };
    "/triggers/scheduled/{id}": {
        /** Delete a schedule; its runs stay */
        delete: operations["deleteSchedule"];
        /** Pause or resume a schedule */
        patch: operations["updateSchedule"];
    };
    "/triggers/inbox": {
        /**
         * List what arrived at triggers, newest first
         * @description Only with OBS_TRIGGER_DURABLE=1.
         */
        get: operations["listInbox"];
        /**
         * Put a delivery into the inbox by hand
         * @description It is processed in its turn, in the name of the caller. Only with OBS_TRIGGER_DURABLE=1.
         */
        post: operations["postInbox"];
    };
    "/triggers/inbox/replay": {
        /**
         * Process deliveries once more, or say what would happen
         * @description `force` processes again, `if_no_run` only what led to no run, `simulate` matches the rules and changes nothing. Name the deliveries by `ids` or by a time from `since`. Only with OBS_TRIGGER_DURABLE=1.
         */
        post: operations["replayInbox"];
    };
    "/v1/chat/completions": {
        /**
         * Ask a model, under every cap
         * @description Chat completions in the OpenAI format, including streaming, tools and response formats. The most that the call can cost is reserved before it is sent, under the caps of the run that `X-Svc-Run-Id` names, the API key, the environment and the workspace; the actual cost is charged afterwards. Refusals have the OpenAI format; a 402 is `budget_exceeded`.
         */
        post: operations["createChatCompletion"];
    };
    "/v1/models": {
        /**
         * List the models and roles that can be called
         * @description In the OpenAI format. A model without prices or limits is not listed, because it is never called.
         */
        get: operations["listModels"];
    };
    "/console/api/models": {
        /**
         * List the models of the deployment, and why some of them are never called
         * @description Those of `models.yaml`: provider, endpoint, whether the key resolves, prices, limits, roles and the last probe in this workspace. It says where a key is, and never the key.
         */
        get: operations["listRegisteredModels"];
    };
    "/console/api/models/probe": {
        /**
         * Ask a model one tiny question, to see whether it answers
         * @description A real call, whose answer has at most 16 tokens: judged by policy, reserved under every cap, charged, and recorded; nothing is retried. An unreachable or silent model is a result (`ok: false`), not an error.
         */
        post: operations["probeModel"];
    };
    "/console/api/gateway/summary": {
        /**
         * What calls of models cost, by model, run, person and day, and what was refused
         * @description Of this workspace. A window ends now; or say `from` and `to`, at most 92 days apart. At most 200,000 calls are added up, the newest; `complete` says whether those were all. Refusals appear some seconds after they happen.
         */
        get: operations["getGatewaySummary"];
    };
    "/ui/api/model-catalog": {
        /**
         * List models that are known, with prices and limits, to add one of
         * @description A file that ships with the release, and says when its prices were read. Providers change them: check a price before you rely on a cap.
         */
        get: operations["getModelCatalog"];
    };
    "/ui/api/model-roles": {
        /**
         * Read the bindings of model roles, and their layers
         * @description Those of the deployment. A profile that binds a role decides for its runs.
         */
        get: operations["getModelRoles"];
        /**
         * Say in the console which models the roles are, over `models.yaml`
         * @description A role that is left out falls back to `models.yaml`; profiles still decide for their runs. Every model must be in `models.yaml`. Takes an owner or admin of all workspaces. Every process follows within about a second.
         */
        put: operations["putModelRoles"];
    };
    "/workspaces": {
        /** List the workspaces that the caller may enter, newest first */
        get: operations["listWorkspaces"];
        /** Make a workspace */
        post: operations["createWorkspace"];
    };
    "/workspaces/{id}": {
        /** Archive a workspace: it can be read, and nothing in it changes */
        delete: operations["archiveWorkspace"];
        /** Change a workspace, or take it out of the archive */
        patch: operations["updateWorkspace"];
    };
    "/console/api/channels": {
        /**
         * List the notification channels
         * @description Those of `channels.yaml`, without their secrets, for owners and admins of all workspaces.
         */
        get: operations["listChannels"];
    };
    "/console/api/channels/{name}/test": {
        /**
         * Send a test message through a channel
         * @description Every recipient of the channel gets one test message; it contains no link that decides anything. The answer has the result of each. For owners and admins of all workspaces; it is recorded.
         */
        post: operations["testChannel"];
    };
    "/console/api/settings": {
        /**
         * List the effective settings, with secrets hidden
         * @description Of the API that answers, as `svc config` prints them, for owners and admins of all workspaces.
         */
        get: operations["listSettings"];
    };
    "/console/api/remote-jobs": {
        /**
         * List what external workers do or did for steps, newest first
         * @description Each is one attempt of a step with the operator `temporal.activity`.
         */
        get: operations["listRemoteJobs"];
    };
    "/console/api/remote-jobs/{id}": {
        /** Get a remote job, and how far it is */
        get: operations["getRemoteJob"];
    };
    "/console/api/halts": {
        /**
         * List the halts in force
         * @description Those over every workspace and those of the workspaces that the caller may enter, the newest first. One over every workspace says who set it only to those who may enter all, and counts the runs that it holds in yours.
         */
        get: operations["listHalts"];
        /**
         * Stop everything that a scope covers
         * @description After the answer no step is opened that the scope covers, in any process; one that was opened before may reach its target for half a second. Starts answer 423 `halted`, running runs wait at their next step, and gates may be answered meanwhile. Steps that had begun before finish. Approvers and operators halt workspaces that they may enter: the scope names one, whatever else it names. A scope without a workspace takes an owner or admin of all workspaces; the addressed workspace (`X-Svc-Workspace`, or the path) never narrows a scope. It is announced on the channels of the workspace, and lifted by an admin. An unknown name is refused: no environment or template that is loaded, no user or schedule, and no active run has it.
         */
        post: operations["setHalt"];
    };
    "/console/api/halts/{id}": {
        /**
         * Lift a halt
         * @description Held runs continue where they stopped, within about a second, unless another halt holds them too. Every step is judged again; an earlier approval counts if it still covers the plan.
         */
        delete: operations["liftHalt"];
    };
    "/console/api/halts/{id}/refused": {
        /**
         * List the starts that a halt has refused
         * @description Newest first, of the workspaces that the caller may enter, also after the halt was lifted. Starts of one alert, or of one request, are one entry with a count. `start` is the request that starts it, for an operator, once no halt covers it; in the workspace of `workspace_id`. Dry runs, and runs of pipelines, which are tried again by themselves, are left out.
         */
        get: operations["listRefusedStarts"];
    };
    "/console/api/operators": {
        /**
         * List the operators that steps are made of
         * @description Their governance facts and the schema of their input, sorted by id.
         */
        get: operations["listOperators"];
    };
    "/console/api/audit": {
        /**
         * List the records of the audit log, newest first
         * @description Those of the workspace that have their place in the chain, each as it was hashed. As CSV all that match are streamed, and `limit` and `cursor` mean nothing; a cell that begins like a formula has an apostrophe before it.
         */
        get: operations["listAudit"];
    };
    "/console/api/audit/checkpoint": {
        /**
         * Where the audit chain ends
         * @description By the database, with what the check that runs all the time found in the log. It is not signed.
         */
        get: operations["getAuditCheckpoint"];
    };
    "/console/api/policies": {
        /**
         * List the policies of all layers
         * @description Those of packs, of files and of the console, with where each counts in the environments of the workspace, what took its place, and what is wrong with broken ones.
         */
        get: operations["listPolicies"];
    };
    "/console/api/policies/{name}/explain": {
        /**
         * Which steps a policy touches
         * @description Each step of each template in each environment of the workspace, or in the named one, with the demands of the policy there and the outcome of the step. A policy has no effect where it is not in force.
         */
        get: operations["explainPolicy"];
    };
    "/console/api/pipeline-bundles": {
        /**
         * List the bundles that pipelines can be started from
         * @description As they are on disk now, with what is wrong with those that cannot be started.
         */
        get: operations["listPipelineBundles"];
    };
    "/pipelines/run": {
        /**
         * Start a pipeline
         * @description Answers as soon as the pipeline is on record. A broken bundle is refused with file, line and column of every fault, and nothing is started.
         */
        post: operations["runPipeline"];
    };
    "/pipelines": {
        /**
         * List pipelines, newest first
         * @description Filters narrow together.
         */
        get: operations["listPipelines"];
    };
    "/pipelines/{id}": {
        /** Read a pipeline with its steps and their runs */
        get: operations["getPipeline"];
    };
    "/pipelines/{id}/config": {
        /**
         * Read the values that a pipeline is composed of
         * @description Each value with the layer that it comes from. Values that depend on steps that have not ended are absent. A step with `for_each` shows one of its entries, the first by default. Secrets are never included.
         */
        get: operations["getPipelineConfig"];
    };
    "/pipelines/{id}/events": {
        /** Read the event log of a pipeline after a number */
        get: operations["listPipelineEvents"];
    };
    "/pipelines/{id}/stream": {
        /**
         * Follow the events of a pipeline (Server-Sent Events)
         * @description Every event after `after_seq`, or otherwise after `Last-Event-ID`, once and in order, as for runs. After the last event of an ended pipeline the server sends `event: end` and closes.
         */
        get: operations["streamPipeline"];
    };
    "/pipelines/{id}/steps/{step}/advance": {
        /**
         * Let a step with a manual gate begin
         * @description For steps with `gate: manual`. It approves nothing: while a run of the step waits for an approval, the answer is 409 `needs_approval`. The body may be omitted.
         */
        post: operations["advancePipelineStep"];
    };
    "/pipelines/{id}/steps/{step}/approve": {
        /**
         * Answer the gate of a step
         * @description Answers the gate of a run of the step, with its quorum, roles and plan hash. An empty body approves. `gate_id` names the gate; without it the answer counts only for the first gate of the only run of a step, never for a `for_each`, a later gate or a compensation.
         */
        post: operations["approvePipelineStep"];
    };
    "/pipelines/{id}/cancel": {
        /**
         * Cancel a pipeline
         * @description No further step begins, its runs are cancelled, and what they did is compensated where steps say how. The body may be omitted.
         */
        post: operations["cancelPipeline"];
    };
    "/console/api/policies/simulate": {
        /**
         * Ask what the policies would say
         * @description Of a subject, or of a template: the whole plan and each of its steps, by all four authorities, before inputs are rendered. Freezes and halts are left out: they pass. Nothing is started or written.
         */
        post: operations["simulatePolicies"];
    };
    "/console/api/policies/rehearse": {
        /**
         * Test a policy on the runs of the last 30 days, before it is saved
         * @description The draft is checked as it would be when it is saved; what is wrong with it is part of the answer. Its place is taken by name among the policies of the console, in the environments of `attach`. The plans of the newest 20,000 runs are judged by the policies in force and with the draft, by all four authorities, before inputs are rendered; what differs is listed. Freezes and halts are left out: they pass. Nothing is saved.
         */
        post: operations["rehearsePolicy"];
    };
    "/console/api/workflows/{pack}/{tpl}/config": {
        /** What every start of a template begins with in the workspace */
        get: operations["getWorkflowConfig"];
        /**
         * Set what every start of a template begins with in the workspace
         * @description The values fill in inputs that a start does not name, from any trigger; a config preset and the start itself override them. Each run records their version and digest. What governs runs, and secrets, are 403 `governance_knob`.
         */
        put: operations["putWorkflowConfig"];
    };
    "/console/api/config-presets": {
        /**
         * List the config presets of the workspace, by template and name
         * @description A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. There are at most 200.
         */
        get: operations["listConfigPresets"];
        /**
         * Keep inputs of a template as a config preset
         * @description A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. What governs runs, and secrets, are 403 `governance_knob`.
         */
        post: operations["createConfigPreset"];
    };
    "/console/api/config-presets/{id}": {
        /** Read a config preset */
        get: operations["getConfigPreset"];
        /**
         * Delete a config preset
         * @description One that a schedule uses is 409 `conflict`. Runs that began with it keep its values.
         */
        delete: operations["deleteConfigPreset"];
        /**
         * Rename a config preset, or change its values
         * @description `version` counts changes of the values: a schedule that pins a version is refused its runs once it is another. A name that a schedule uses stays.
         */
        patch: operations["updateConfigPreset"];
    };
    "/console/api/config-presets/{id}/default": {
        /**
         * Make a config preset the default of its template
         * @description Starts that name no config preset take it, from any trigger. The previous default no longer is one. `PATCH` with `is_default: false` leaves none.
         */
        post: operations["makeConfigPresetDefault"];
    };
    "/console/api/input-presets": {
        /**
         * List the input presets of the workspace, by template and name
         * @description Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. There are at most 200.
         */
        get: operations["listInputPresets"];
        /**
         * Keep inputs of a template as an input preset
         * @description Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. What governs runs, and secrets, are 403 `governance_knob`.
         */
        post: operations["createInputPreset"];
    };
    "/console/api/input-presets/{id}": {
        /** Read an input preset */
        get: operations["getInputPreset"];
        /**
         * Delete an input preset
         * @description Nothing but forms knew of it.
         */
        delete: operations["deleteInputPreset"];
        /**
         * Rename an input preset, or change its values
         * @description `values` take the place of all that were kept.
         */
        patch: operations["updateInputPreset"];
    };
    "/console/api/input-presets/{id}/default": {
        /**
         * Make an input preset the default of its template
         * @description The form of the template begins with it. It replaces the previous default. `PATCH` with `is_default: false` leaves none.
         */
        post: operations["makeInputPresetDefault"];
    };
    "/console/api/views": {
        /**
         * List your saved views of a list
         * @description Views are those of the caller in the addressed workspace, by name; nobody else sees them.
         */
        get: operations["listViews"];
        /**
         * Save the filters of a list under a name
         * @description A view of that name is replaced. A person keeps at most 50 in a workspace.
         */
        put: operations["saveView"];
        /** Delete a saved view of yours */
        delete: operations["deleteView"];
    };
    "/ui/api/policies": {
        /**
         * List the policies that were authored in the console, by name
         * @description All of the workspace; there are at most 200.
         */
        get: operations["listConsolePolicies"];
        /**
         * Author a policy
         * @description It has an effect where an environment attaches it by name (`PUT /ui/api/environments/{name}/policies`). It is checked as `svc check` checks files: what is wrong is refused with line, column and the name that was likely meant. `loosens` says whether something may be laxer with it than without, taken as attached.
         */
        post: operations["createConsolePolicy"];
    };
    "/ui/api/policies/{name}": {
        /** Read a policy of the console, or with `Accept: text/yaml` its text alone */
        get: operations["getConsolePolicy"];
        /**
         * Put another text in the place of a policy of the console
         * @description The name stays. Every process judges by the new text within about a second; what was approved before is judged again at its step.
         */
        put: operations["updateConsolePolicy"];
        /**
         * Delete a policy of the console
         * @description In an environment that attaches it still, the gate is on until it is detached or there again.
         */
        delete: operations["deleteConsolePolicy"];
    };
    "/ui/api/triggers": {
        /**
         * List the rules that were authored in the console, in the order in which they are tried
         * @description All of the workspace; there are at most 200.
         */
        get: operations["listConsoleTriggers"];
        /**
         * Author a rule
         * @description One entry of a rule file. Rules of the console are tried first, in the order of their names, then those of the files of the deployment, then those of packs; the first that fits starts its template. It is checked as `svc check` checks files, with all that it names. Every process follows within about a second.
         */
        post: operations["createConsoleTrigger"];
    };
    "/ui/api/triggers/{name}": {
        /** Read a rule of the console, or with `Accept: text/yaml` its text alone */
        get: operations["getConsoleTrigger"];
        /**
         * Put another text in the place of a rule of the console
         * @description The name stays. Every process follows within about a second.
         */
        put: operations["updateConsoleTrigger"];
        /** Delete a rule of the console */
        delete: operations["deleteConsoleTrigger"];
    };
    "/ui/api/connections": {
        /**
         * List connections, by name
         * @description Those that runs of the workspace may use; all of them for who may enter all workspaces. No answer has a secret. There are at most 200.
         */
        get: operations["listConnections"];
        /**
         * Make a connection
         * @description Its secret is sealed and never shown again. Environments refer to it as `connection:<name>`. Takes an owner or admin of all workspaces; `POST /ui/api/connections/test` tests it before.
         */
        post: operations["createConnection"];
    };
    "/ui/api/connections/{id}": {
        /**
         * Read a connection
         * @description Without its secret.
         */
        get: operations["getConnection"];
        /**
         * Delete a connection and its secret
         * @description Refused with 409 while environments refer to it: `bound_by` names them. Takes an owner or admin of all workspaces.
         */
        delete: operations["deleteConnection"];
        /**
         * Change a connection, its secret, or who may use it
         * @description What is left out stays. A change of kind, host, base address, TLS or authentication takes the secret with it (`secret_required`): a stored secret is never sent elsewhere. Gates that were approved for the version before ask again. Takes an owner or admin of all workspaces.
         */
        patch: operations["updateConnection"];
    };
    "/ui/api/connections/test": {
        /**
         * Test a connection, also before it is saved
         * @description Uses it once as a step would, under the egress rules of an environment, for at most ten seconds: a GET of an HTTP service, `select 1` on a database. `id` tests a stored connection, and keeps the outcome unless other fields change it. Answers what was found, never what the target says. Takes an owner or admin of all workspaces; it is recorded.
         */
        post: operations["testConnection"];
    };
    "/ui/api/connection-kinds": {
        /**
         * List the kinds of connections
         * @description Each with the JSON Schema of its `config`, from which a form is drawn.
         */
        get: operations["listConnectionKinds"];
    };
    "/ui/api/connections/{id}/tools": {
        /**
         * List the tools of a connection to an MCP server
         * @description As they were discovered last, by name. Steps use accepted tools alone. Names, descriptions and annotations are claims of the server.
         */
        get: operations["listConnectionTools"];
        /**
         * Ask an MCP server for its tools
         * @description Lists them under the egress rules of an environment, for at most 15 seconds, and calls none. What is found is accepted by nobody; what differs from what was accepted becomes `changed`. Takes an owner or admin of all workspaces; it is recorded.
         */
        post: operations["discoverConnectionTools"];
    };
    "/ui/api/connections/{id}/tools/{name}/accept": {
        /**
         * Accept a tool of an MCP server
         * @description By the digest of the definition that you have read: steps may use it until the server describes it otherwise. `effect: read` says that it changes nothing; no claim of the server does. Takes an owner or admin of all workspaces; it is recorded.
         */
        post: operations["acceptConnectionTool"];
    };
    "/ui/api/connections/{id}/tools/{name}/withdraw": {
        /**
         * Take back the acceptance of a tool
         * @description Steps use it no more, until it is accepted again; a step that waits for approval fails when it is approved. Takes an owner or admin of all workspaces; it is recorded.
         */
        post: operations["withdrawConnectionTool"];
    };
    "/ui/api/connections/{id}/oauth/start": {
        /**
         * Begin an authorisation (OAuth 2)
         * @description For a connection with `auth: oauth2`. Open `authorization_url` in the browser that has got the cookie of this answer: a person consents at the provider, which leads back to `GET /oauth/callback` within ten minutes. Authorisation code with PKCE (S256). What was authorised before stays until then. Takes an owner or admin of all workspaces; it is recorded.
         */
        post: operations["authorizeConnection"];
    };
    "/oauth/callback": {
        /**
         * End an authorisation: the provider leads the browser here
         * @description Good once, in the browser that began it: its `state` and the cookie are the proof. Stores the tokens sealed, and says what to do next, as a page or as JSON. Asks for the code of `svc connections authorize` where that began it. Nothing of the request is shown.
         */
        get: operations["completeAuthorization"];
        /**
         * End an authorisation of the command line by the code of its terminal
         * @description The form of the page to which the provider has led the browser, at the same address. A page of another site is refused. The code is good once and tried five times; each wrong one is recorded.
         */
        post: operations["confirmAuthorization"];
    };
    "/ui/api/environments": {
        /**
         * List environments as they are in force, by name
         * @description Those that runs of the workspace may use; all of them for who may enter all workspaces, who read by `granted` which these are.
         */
        get: operations["listEnvironments"];
        /**
         * Make an environment in the console alone
         * @description An absent field keeps the value of the file, or the shipped one. Egress, and the secrets of connections, are set in files only; `connection:<name>` refers to a connection of the console. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.
         */
        post: operations["createEnvironment"];
    };
    "/ui/api/environments/{name}": {
        /**
         * Read an environment as it is in force, and the layers that set it
         * @description What the console says (`document`) is shown to who may enter all workspaces.
         */
        get: operations["getEnvironment"];
        /**
         * Say in the console what an environment is, over its file
         * @description An absent field keeps the value of the file, or the shipped one. Egress, and the secrets of connections, are set in files only; `connection:<name>` refers to a connection of the console. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.
         */
        put: operations["updateEnvironment"];
        /**
         * Take back what the console says about an environment
         * @description Its file is in force again; one without a file is deleted, and runs in it only read from then on.
         */
        delete: operations["deleteEnvironment"];
    };
    "/ui/api/environments/{name}/policies": {
        /**
         * Attach policies of the console to an environment: these, and no others
         * @description Each must be there in some workspace; in a workspace that has none of that name the gate is on. What else the console says about the environment stays as it is. Takes an owner or admin of all workspaces.
         */
        put: operations["attachPolicies"];
    };
    "/ui/api/environments/{name}/knowledge": {
        /**
         * Attach corpora to an environment: these, and no others
         * @description Each must exist in some workspace; a workspace searches its own corpora of these names. What else the console says about the environment stays as it is. Takes an owner or admin of all workspaces.
         */
        put: operations["attachKnowledge"];
    };
    "/ui/api/environments/{name}/backends": {
        /**
         * Say where an environment keeps the artifacts of its runs
         * @description `fs` keeps them in the database of the service, `s3` in the bucket of a connection of the console. It counts for artifacts from now on; those that are there stay where they are, and are read there. What else the console says about the environment stays as it is. Takes an owner or admin of all workspaces.
         */
        put: operations["setBackends"];
    };
    "/ui/api/knowledge": {
        /** List the corpora of the workspace */
        get: operations["listCorpora"];
        /**
         * Register a corpus of documents
         * @description Says where its documents are; `POST …/index` reads them. A folder lies below `SVC_KNOWLEDGE_DIR`, and registering one takes an owner or admin of all workspaces. A source that is not there, or leads out of its directory, is 422.
         */
        post: operations["createCorpus"];
    };
    "/ui/api/knowledge/{id}": {
        /** Read a corpus: what is in it, and what is left to index */
        get: operations["getCorpus"];
        /**
         * Delete a corpus with everything that was indexed
         * @description Files stay as they are. `GET /healthz?verbose` reports an environment that still attaches it.
         */
        delete: operations["deleteCorpus"];
    };
    "/ui/api/knowledge/{id}/passage": {
        /**
         * Read a chunk of a document, as it was found or cited
         * @description Give `path`, `digest` and `from_line` (as `line`) of a hit. The answer has the lines where the chunk is now. 404 once no chunk of the document has that digest.
         */
        get: operations["getPassage"];
    };
    "/ui/api/knowledge/{id}/index": {
        /**
         * Index what is new or has changed in a corpus
         * @description A document whose digest has not changed is not indexed again, and a missing one is removed. Each document is stored by itself: after about 20 seconds, or a crash, the rest is `pending`, and the next request continues. Hidden files are left out; a file that lies outside of the source or is not text is named in `problems`, and nothing of it is stored. If a model is bound to the role `embed`, vectors are made through the model gateway; `vectors.refused` says what stops that.
         */
        post: operations["indexCorpus"];
    };
    "/ui/api/knowledge/{id}/query": {
        /**
         * Search a corpus
         * @description By words always: `"a phrase"`, `or` and `-without` are understood. By meaning as well if a model is bound to the role `embed` and the caller may call models; `used` says which. Each hit is a chunk of a document with its lines and its digest.
         */
        post: operations["queryCorpus"];
    };
    "/ui/api/profiles": {
        /**
         * List profiles as they are in force, by name
         * @description All of the deployment.
         */
        get: operations["listProfiles"];
        /**
         * Make a profile in the console alone
         * @description What is absent stays as its file says. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.
         */
        post: operations["createProfile"];
    };
    "/ui/api/profiles/{name}": {
        /**
         * Read a profile as it is in force, and the layers that set it
         * @description What the console says (`document`) is shown to who may enter all workspaces.
         */
        get: operations["getProfile"];
        /**
         * Say in the console what a profile is, over its file
         * @description What is absent stays as its file says. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.
         */
        put: operations["updateProfile"];
        /**
         * Take back what the console says about a profile
         * @description Its file is in force again; one without a file is deleted.
         */
        delete: operations["deleteProfile"];
    };
    "/ui/api/profiles/{name}/form": {
        /** Read a profile as a form shows it: the schema, what the console says, and what counts */
        get: operations["getProfileForm"];
        /**
         * Say in the console what a form of a profile says, over its file
         * @description A field that is left out says nothing: what the file says stays. Comments of the text stay. Takes an owner or admin of all workspaces.
         */
        put: operations["putProfileForm"];
    };
    "/ask": {
        /**
         * Ask about this workspace
         * @description Answers from the results of read-only tools, and says so where they find nothing (`grounded: false`). For a request to run something, `action` is the form of that run, and nothing starts until a user sends it. Every turn has a hard cap and is recorded as `ask.answered`. With `Accept: text/event-stream` the turn is streamed: an event `tool` for every look-up (`{id, name, ref, rows, ms}`), `text` for each line of the answer (`{text}`), `answer` for all of it, and `end`; `error` is a problem document if something breaks on the way.
         */
        post: operations["askQuestion"];
    };
    "/ask/thread/{id}": {
        /**
         * A conversation with the ask agent
         * @description What the caller asked in this thread and what was answered, oldest first. A foreign thread is empty, exactly like one that does not exist.
         */
        get: operations["getAskThread"];
    };
    "/console/api/ask": {
        /**
         * Resolve an intent to a plan
         * @description The same turn as `POST /ask`, in a thread of its own. A small model answers it unless the request names another. With `Accept: text/event-stream` the turn is streamed: an event `tool` for every look-up (`{id, name, ref, rows, ms}`), `text` for each line of the answer (`{text}`), `answer` for all of it, and `end`; `error` is a problem document if something breaks on the way.
         */
        post: operations["resolvePlan"];
    };
    "/mcp": {
        /**
         * Answer a message of an agent
         * @description Streamable HTTP of the Model Context Protocol, without sessions: each message is independent and is answered with JSON. Its tools are the read operations of this API, with their own refusals. Only with OBS_OPS_MCP=1.
         */
        post: operations["answerMcp"];
    };
    "/console/api/session": {
        /**
         * Say who is signed in to the console in this browser
         * @description Renews the session while it is used, for at most twelve hours after the sign-in. Only pages of this origin get an answer.
         */
        get: operations["getSession"];
        /**
         * Sign in to the console
         * @description Sets an HttpOnly cookie. It identifies the user only together with the header `X-Svc-Csrf` with the value of the answer, and an `Authorization` header always wins over it. People only: an API key opens no session.
         */
        post: operations["openSession"];
        /**
         * Sign out of the console in this browser
         * @description Ends this session alone: a copy of its cookie is good for nothing afterwards, within five seconds. `POST /auth/logout` signs out everywhere.
         */
        delete: operations["closeSession"];
    };
    "/console": {
        /**
         * Open the console in a browser
         * @description The page is the same for everybody; what it shows, it asks the API for.
         */
        get: operations["getConsole"];
    };
    "/console/*": {
        /**
         * Pages and files of the console
         * @description A path without an extension is a page of the console; any other is a file of its build, or not there.
         */
        get: operations["getConsoleFile"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What is here. */
        Root: {
            name: string;
            version: string;
            links: {
                [key: string]: string;
            };
        };
        /** @description A refusal, as a problem document (RFC 9457). */
        Problem: {
            /** @example /problems/validation_failed */
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            /**
             * @description Stable name of the refusal
             * @example validation_failed
             */
            code: string;
            request_id: string;
            errors?: {
                /**
                 * @description JSON Pointer (RFC 6901) to the field
                 * @example /inputs/url
                 */
                pointer: string;
                /**
                 * @description The part of the request (`body`, `query`, `header`), and the place in it as a list
                 * @example [
                 *       "body",
                 *       "inputs",
                 *       "url"
                 *     ]
                 */
                loc: (string | number)[];
                msg: string;
                type: string;
                /** @description Line in a document, from 1 */
                line?: number;
                column?: number;
            }[];
            retry_after_s?: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "status": "ok",
         *       "checks": {
         *         "postgres": "ok",
         *         "temporal": "ok",
         *         "workers": "ok",
         *         "audit": "ok"
         *       }
         *     }
         */
        HealthReport: {
            /**
             * @description `degraded`, with `?verbose` alone: everything runs, and something of the deployment is not as it is meant
             * @enum {string}
             */
            status: "ok" | "degraded" | "unavailable";
            checks: {
                /** @enum {string} */
                postgres: "ok" | "failing";
                /** @enum {string} */
                temporal: "ok" | "failing";
                /** @enum {string} */
                workers: "ok" | "failing";
                /** @enum {string} */
                audit: "ok" | "failing";
            };
            /** @description With `?verbose`, as everything below */
            details?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /** @description Over all workspaces; absent while the database is away */
            lanes?: {
                realtime: {
                    /** @description Operations that the live workers run at once */
                    limit: number;
                    running: number;
                    queued: number;
                    /** @description From admission to the first execution, of the last five minutes */
                    wait_p50_ms?: number;
                    wait_p99_ms?: number;
                };
                background: {
                    /** @description Operations that the live workers run at once */
                    limit: number;
                    running: number;
                    queued: number;
                    /** @description From admission to the first execution, of the last five minutes */
                    wait_p50_ms?: number;
                    wait_p99_ms?: number;
                };
            };
            /** @description The durable bus, with the subscribers and dead letters of this workspace; absent while the database is away */
            bus?: {
                /** @description Messages that have no number yet */
                waiting: number;
                subscribers: {
                    subscriber: string;
                    behind: number;
                    dead_letters: number;
                }[];
            };
            /** @description The pipelines of this workspace; absent while the database is away */
            pipelines?: {
                queued: number;
                running: number;
                /** @description Those that wait for people alone */
                blocked: number;
                /** @description Those that ended in the last day with a compensation that did not succeed: `not_taken_back` of the pipeline says which */
                not_taken_back: number;
            };
            /** @description What is stopped on purpose, in this workspace or in all */
            halts?: {
                /** @example halt_01hzy3v9k5m8q2w4x6z8b0d2f4 */
                id: string;
                scope: components["schemas"]["HaltScope"];
                reason: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-01-05T09:30:00.000Z
                 */
                created_at: string;
                held: {
                    /** @description Active runs that the scope covers, also those that wait for an approval */
                    runs: number;
                };
                refused: {
                    /** @description Starts that it has refused, in your workspaces; dry runs are not counted */
                    starts: number;
                };
                /**
                 * Format: date-time
                 * @description Absent while it is in force
                 * @example 2026-01-05T09:30:00.000Z
                 */
                lifted_at?: string;
                by: string;
            }[];
            /** @description Notification channels that cannot be used */
            channels?: {
                channel?: string;
                problem: string;
            }[];
            /** @description Packs that do not load, and the version that is in force */
            packs?: {
                pack: string;
                problems: string[];
                in_force?: string;
            }[];
            /** @description Files of environments, profiles and rules that do not load */
            environments?: string[];
            /** @description Policies that are broken: the gate is on where they apply */
            policies?: string[];
            /** @description Schedules of packs and files that do not fire; others do */
            schedules?: {
                schedule?: string;
                file: string;
                line?: number;
                column?: number;
                /** @description Names references of secrets, never a secret */
                message: string;
            }[];
            /** @description Signed ingress that lets nothing in, because of its secrets */
            ingress?: {
                ingress: string;
                file: string;
                line?: number;
                column?: number;
                /** @description Names references of secrets, never a secret */
                message: string;
            }[];
            /** @description Everything that is wrong with the files of the deployment, and names in them that there are not */
            problems?: components["schemas"]["Finding"][];
            /** @description Messages of the last day that did not arrive, by channel and reason; `retrying` is how many are tried again */
            undelivered?: {
                channel: string;
                detail: string;
                count: number;
                retrying: number;
                since: string;
            }[];
            /** @description Work of this workspace that crashed two processes: deliveries until a user replays them, runs for a day; the newest 50 */
            set_aside?: {
                /** @enum {string} */
                kind: "delivery" | "run";
                /** @description Id of the delivery or of the run */
                subject: string;
                reason: string;
                created_at: string;
            }[];
            versions?: {
                [key: string]: string;
            };
        };
        /**
         * @description What a halt covers: runs that fit everything that is named. An empty scope is everything.
         * @example {
         *       "environment": "production"
         *     }
         */
        HaltScope: {
            /**
             * @description Identifier of a workspace
             * @example ws_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            workspace?: string;
            /**
             * @description Name of an environment
             * @example production
             */
            environment?: string;
            /**
             * @description `pack/template`
             * @example incident/service-recovery
             */
            template?: string;
            /**
             * @description Id of a person, service account or schedule that asked for runs, or in whose name they were asked for. People and service accounts also by e-mail address
             * @example usr_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            requester?: string;
        };
        /** @description What is wrong with a file, and where. */
        Finding: {
            file: string;
            line?: number;
            column?: number;
            /** @description Names references of secrets, never a secret */
            message: string;
            /** @description It may be meant as it is */
            warning?: boolean;
        };
        /** @description An OpenAPI 3.1 document. */
        OpenApiDocument: {
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A bearer token */
        TokenAnswer: {
            access_token: string;
            /** @enum {string} */
            token_type: "bearer";
            /** @description Seconds */
            expires_in: number;
            scope: string;
        };
        /** @description Why there is no token (RFC 6749 section 5.2) */
        TokenRefusal: {
            /** @example invalid_grant */
            error: string;
            error_description: string;
        };
        /** @description Credentials of a user */
        TokenRequest: {
            /**
             * @description `password`, or absent
             * @example password
             */
            grant_type?: string;
            /**
             * @description The mail address
             * @example ada@example.test
             */
            username: string;
            password: string;
            /** @description Names with spaces between; all when absent */
            scope?: string;
            /** @description The client that asks. Decisions made with the token are on record as `svc-cli`: cli, `svc-console`: console */
            client_id?: string;
            client_secret?: string;
        };
        /** @description Whether one has to sign in, and whether one has */
        AuthStatus: {
            enabled: boolean;
            /** @enum {string|null} */
            scheme: "bearer" | null;
            /** @description Whether this request came with a good token */
            authenticated: boolean;
        };
        /** @description A person or a service account */
        User: {
            id: string;
            account_id: string;
            email?: string;
            display_name?: string;
            roles: string[];
            /** @description Names that policies ask for by `approval_role` */
            approval_roles: string[];
            /** @description Rights beyond the role, such as `approvals:on_behalf` */
            scopes: string[];
            /** @description Ids, home first, or `*` for all */
            workspaces: string[];
            /** @enum {string} */
            status: "invited" | "active" | "disabled";
            out_of_office_until?: string;
            /** @description Who answers gates meanwhile */
            delegate_to?: string;
            /** @description Service accounts that may answer gates in this name; absent where there are none */
            answering_accounts?: string[];
            last_login_at?: string;
            created_at?: string;
            /** @description For `If-Match`; a sign-in does not change it */
            etag?: string;
        };
        /** @description What changes about yourself; the rest stays */
        OwnEdit: {
            display_name?: string | null;
            /** Format: date-time */
            out_of_office_until?: string | null;
            /**
             * @description Who answers gates while you are away
             * @example usr_01hzx3v8k2m4n6p8q0r2s4t6v8
             */
            delegate_to?: string | null;
        };
        /** @description A user who can answer gates for you */
        Delegate: {
            /** @example usr_01hzx3v8k2m4n6p8q0r2s4t6v8 */
            id: string;
            display: string;
            /**
             * Format: email
             * @example ada@example.test
             */
            email: string;
        };
        /** @description A service account that could answer gates for you, or that you have named */
        AnsweringAccount: {
            /** @example usr_01hzx3v8k2m4n6p8q0r2s4t6v8 */
            id: string;
            display: string;
            /**
             * Format: email
             * @description Absent for an account that is no longer in your workspaces
             * @example ada@example.test
             */
            email?: string;
            /** @description You let it answer gates for you */
            named: boolean;
            /** @description It does so now: you have named it, and it could */
            answers: boolean;
        };
        /** @description The invited user, with the token that lets them in */
        InvitedUser: {
            id: string;
            account_id: string;
            email?: string;
            display_name?: string;
            roles: string[];
            /** @description Names that policies ask for by `approval_role` */
            approval_roles: string[];
            /** @description Rights beyond the role, such as `approvals:on_behalf` */
            scopes: string[];
            /** @description Ids, home first, or `*` for all */
            workspaces: string[];
            /** @enum {string} */
            status: "invited" | "active" | "disabled";
            out_of_office_until?: string;
            /** @description Who answers gates meanwhile */
            delegate_to?: string;
            /** @description Service accounts that may answer gates in this name; absent where there are none */
            answering_accounts?: string[];
            last_login_at?: string;
            created_at?: string;
            /** @description For `If-Match`; a sign-in does not change it */
            etag?: string;
            /** @description Shown this once; sets the first password */
            invite_token: string;
            invite_expires_at: string;
        };
        /** @description A user to invite; `workspaces` defaults to `["*"]` for owners and admins */
        UserInvite: {
            /**
             * Format: email
             * @example ada@example.test
             */
            email: string;
            display_name?: string;
            roles: ("owner" | "admin" | "operator" | "approver" | "viewer" | "service" | "auditor")[];
            workspaces?: string[];
            approval_roles?: string[];
            scopes?: string[];
        };
        /** @description What changes; the rest stays */
        UserEdit: {
            display_name?: string | null;
            roles?: ("owner" | "admin" | "operator" | "approver" | "viewer" | "service" | "auditor")[];
            approval_roles?: string[];
            scopes?: string[];
            /** @description Of the workspaces that you may enter, those that the user is in; the others stay as they are */
            workspaces?: string[];
            /** @enum {string} */
            status?: "active" | "disabled";
        };
        /** @description A new password; it ends every session of its user */
        PasswordChange: {
            /** @description At least 12 characters */
            password: string;
            /** @description Needed to change your own */
            current_password?: string;
            /** @description Sets the first password; no sign-in needed */
            invite_token?: string;
        };
        /** @description The key, with what lets its holder in */
        CreatedApiKey: {
            id: string;
            name: string;
            /**
             * @description How the key begins
             * @example svc_4fT9xQ2b
             */
            prefix: string;
            /** @description The service account that it speaks for */
            account: string;
            /** @description What the key is good for; each scope names some operations and implies none of the others */
            scopes: ("runs:read" | "runs:start" | "models:call" | "ask:query" | "approvals:on_behalf" | "admin")[];
            /** @description The only workspace that it may enter */
            workspace_id?: string;
            /** @description What its calls of models may cost a UTC day, in US dollars */
            daily_usd?: number;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** @description Absent for a user outside of your workspaces */
            created_by?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description To the minute; absent while it was never used
             */
            last_used_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            revoked_at?: string;
            revoked_by?: string;
            /** @description The key itself, shown this once: send it as a bearer token */
            token: string;
        };
        ApiKeyDraft: {
            /**
             * @description What it is for
             * @example nightly deploys
             */
            name: string;
            /**
             * @description Id or mail address of a service account
             * @example ci@example.test
             */
            account: string;
            /** @description `runs:read` by default */
            scopes?: ("runs:read" | "runs:start" | "models:call" | "ask:query" | "approvals:on_behalf" | "admin")[];
            /** @description Binds it to one of the workspaces of the account */
            workspace_id?: string;
            /** @description Cap on its model calls per UTC day, in US dollars; none of its own by default */
            daily_usd?: number;
            /** @description 90 unless it is said */
            expires_in_days?: number;
        };
        /** @description A key with which the programs of a service account come in */
        ApiKey: {
            id: string;
            name: string;
            /**
             * @description How the key begins
             * @example svc_4fT9xQ2b
             */
            prefix: string;
            /** @description The service account that it speaks for */
            account: string;
            /** @description What the key is good for; each scope names some operations and implies none of the others */
            scopes: ("runs:read" | "runs:start" | "models:call" | "ask:query" | "approvals:on_behalf" | "admin")[];
            /** @description The only workspace that it may enter */
            workspace_id?: string;
            /** @description What its calls of models may cost a UTC day, in US dollars */
            daily_usd?: number;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** @description Absent for a user outside of your workspaces */
            created_by?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description To the minute; absent while it was never used
             */
            last_used_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            revoked_at?: string;
            revoked_by?: string;
        };
        /** @description A run: one governed execution of a template. */
        Run: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            workspace_id: string;
            /** @example incident */
            pack: string;
            /** @example service-recovery */
            template: string;
            /** @example 1.0.0 */
            template_version: string;
            /** @description Of the template with everything that it compiles to; a start may ask for it */
            template_digest: string;
            status: components["schemas"]["RunStatus"];
            /** @description `ttl`, `dismissed`, `condition_cleared`, `halted` while a halt, or its archived workspace, holds a run that is under way, `halt_lifted` until it goes on, `standing_lost`, … */
            status_reason?: string;
            /** @description Of a run that is queued, running or held: the halts over it, who set them and why; none where its workspace is archived */
            halts?: {
                id: string;
                reason: string;
                by: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-01-05T09:30:00.000Z
                 */
                created_at: string;
            }[];
            lane: components["schemas"]["Lane"];
            /** @example production */
            environment: string;
            /** @enum {string} */
            environment_class: "production" | "staging" | "development" | "sandbox";
            profile: string;
            /** @description Name of the config preset that filled inputs in; `provenance.config_preset` has its version and digest */
            config_preset?: string;
            sandbox: boolean;
            /** @description Nothing acted: `outputs.dry_run` says what each step would do (`DryRunReport`) */
            dry_run: boolean;
            /** @enum {string} */
            risk: "low" | "medium" | "high";
            /**
             * @example [
             *       "service.restart"
             *     ]
             */
            action_types: string[];
            capabilities: string[];
            /** @description What the run was given; secrets are redacted */
            inputs: {
                [key: string]: unknown;
            };
            inputs_hash: string;
            /** @description Hash of what the current or last gated step will do */
            plan_hash?: string;
            outputs?: {
                /** @description Of a dry run: what each step would do */
                dry_run?: components["schemas"]["DryRunReport"] | unknown | null;
            } & {
                [key: string]: unknown;
            };
            error?: components["schemas"]["RunFailure"];
            reason?: string;
            /** @description Duplicate alerts folded onto this run */
            attached_count: number;
            fingerprint?: string;
            /** @description The last 50 alerts, newest first */
            alerts: {
                delivery_id: string;
                /** @enum {string} */
                status: "firing" | "resolved";
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-01-05T09:30:00.000Z
                 */
                received_at: string;
                /** @description Of the alert as it stood in the payload */
                digest?: string;
            }[];
            trigger?: components["schemas"]["RunTrigger"];
            /** @description What started the run, for whom, with which pack and policies */
            provenance: {
                [key: string]: unknown;
            };
            progress: components["schemas"]["RunProgress"];
            gates: components["schemas"]["RunGate"][];
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            llm_usd: number;
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            gpu_usd: number;
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            storage_usd: number;
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            total_usd: number;
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            reserved_usd: number;
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            cap_usd: number;
            labels: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            queued_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            started_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            awaiting_since?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            ended_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            updated_at: string;
            /** @description Paths of what belongs to the run */
            links: {
                [key: string]: string;
            };
        };
        /**
         * @description Where a run stands. The last five are terminal: a run never leaves them.
         * @example awaiting_approval
         * @enum {string}
         */
        RunStatus: "queued" | "running" | "awaiting_approval" | "cancelling" | "succeeded" | "failed" | "rejected" | "cancelled" | "expired";
        /**
         * @description Which share of the workers carries the run. Flooding one lane never delays the other.
         * @example background
         * @enum {string}
         */
        Lane: "realtime" | "background";
        /** @description What a dry run found: the `dry_run` of its outputs. */
        DryRunReport: {
            steps: components["schemas"]["PredictedStep"][];
            /** @description Steps that were executed: reads that nobody need approve */
            executed: string[];
            /** @description Steps at which a gate would open */
            gates: string[];
            /** @description Steps that could not be judged */
            unknown: string[];
            /** @description One attempt of each step that would do something and could be judged */
            estimate_usd: number;
            cap_usd: number;
            fits: boolean;
        };
        /** @description One step of a dry run: what it would do. */
        PredictedStep: {
            id: string;
            name: string;
            operator: string;
            /** @enum {string} */
            would: "act" | "read" | "wait" | "be_skipped" | "be_refused" | "fail" | "unknown";
            /** @description A read that was done; everything else was only looked at */
            executed: boolean;
            summary: string;
            action_type?: string;
            targets?: {
                kind: string;
                ids: string[];
            };
            /** @description The operation as it would be sent */
            command?: string;
            diff?: {
                format: string;
                body: string;
            };
            plan_hash?: string;
            policy?: {
                /** @enum {string} */
                effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                matched: {
                    name: string;
                    layer: string;
                    /** @enum {string} */
                    effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                    reason: string;
                }[];
                broken_policies: string[];
            };
            /** @description The gate that would open; absent where none would */
            gate?: {
                /** @description Why a person would be asked */
                because: string[];
                authorities: {
                    operator: boolean;
                    profile: boolean;
                    /** @enum {string} */
                    policy: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                    pack: boolean;
                };
                approvals: number;
                /** @description AND of ORs; empty: anyone who may approve at all */
                approval_roles: string[][];
                prevent_self: boolean;
            };
            simulation?: {
                ok: boolean;
                not_tried?: boolean;
                summary: string;
                details?: unknown;
            };
            error?: {
                code: string;
                message: string;
            };
            /** @description Steps that were not executed and whose outputs it needs */
            depends_on?: string[];
            /** @description Earlier steps whose effect is missing from what it would find */
            without?: string[];
            /** @description The most that one attempt may cost */
            estimate_usd?: number;
        };
        /** @description Why a run failed. */
        RunFailure: {
            /**
             * @description Why, as docs/failures.md lists it
             * @example BudgetExceeded
             */
            code: string;
            message: string;
            step?: string;
            retryable: boolean;
            details?: unknown;
        };
        /** @description The alert that started a run, and those that attached to it; lists of runs leave it out. */
        RunTrigger: {
            /** @description What started the run, as it was then */
            alert: {
                /**
                 * @description The tool that sent it
                 * @example alertmanager
                 */
                source: string;
                /** @example checkout */
                service: string;
                /** @example HighErrorRate */
                symptom: string;
                /** @enum {string} */
                status: "firing" | "resolved";
                /** @enum {string} */
                severity: "critical" | "high" | "medium" | "low" | "info";
                /** @example More than 5 % of the requests fail */
                title: string;
                external_id?: string;
                description?: string;
                labels: {
                    [key: string]: string;
                };
                annotations: {
                    [key: string]: string;
                };
                /** @description What the queries of its rule answered */
                values?: {
                    [key: string]: string;
                };
                links: {
                    title: string;
                    url: string;
                }[];
                /** @description Where the tool shows what raised it */
                generator_url?: string;
                /** Format: date-time */
                starts_at?: string;
                /** Format: date-time */
                ends_at?: string;
                /** @description Of the alert as it stood in the payload, whole */
                digest: string;
                /** @description Members of which something was left out for its size */
                cut?: string[];
            };
            /** @description The last state of each member, in the order in which they came */
            members: {
                /**
                 * @description The tool that sent it
                 * @example alertmanager
                 */
                source: string;
                /** @example checkout */
                service: string;
                /** @example HighErrorRate */
                symptom: string;
                /** @enum {string} */
                status: "firing" | "resolved";
                /** @enum {string} */
                severity: "critical" | "high" | "medium" | "low" | "info";
                /** @example More than 5 % of the requests fail */
                title: string;
                external_id?: string;
                description?: string;
                labels: {
                    [key: string]: string;
                };
                annotations: {
                    [key: string]: string;
                };
                /** @description What the queries of its rule answered */
                values?: {
                    [key: string]: string;
                };
                links: {
                    title: string;
                    url: string;
                }[];
                /** @description Where the tool shows what raised it */
                generator_url?: string;
                /** Format: date-time */
                starts_at?: string;
                /** Format: date-time */
                ends_at?: string;
                /** @description Of the alert as it stood in the payload, whole */
                digest: string;
                /** @description Members of which something was left out for its size */
                cut?: string[];
                member: string;
                /** Format: date-time */
                received_at: string;
                /** Format: date-time */
                updated_at: string;
            }[];
            /** @description More members came than are kept; `alerts` has the digests of the last 50 */
            members_cut: boolean;
        };
        /** @description Live progress of a run. */
        RunProgress: {
            /** @description The run status, or the name of the current step while it runs */
            phase: string;
            /** @description Share of the steps that have ended */
            percent?: number;
            current_step?: string;
            steps: components["schemas"]["StepProgress"][];
        };
        /** @description One step of a run as it stands now. */
        StepProgress: {
            id: string;
            name: string;
            operator: string;
            /** @enum {string} */
            state: "pending" | "ready" | "running" | "awaiting_approval" | "succeeded" | "failed" | "skipped" | "cancelled" | "expired" | "outcome_unknown" | "not_reached";
            attempt: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            started_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            ended_at?: string;
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            cost_usd: number;
            message?: string;
            taken_over_from?: components["schemas"]["TakenOver"];
        };
        /** @description Of a step that a retry did not execute: the run and the attempt whose outputs it took over, at no cost. */
        TakenOver: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            attempt: number;
            /** @description Digest of the outputs, from the audit record of that attempt; absent for a skipped step */
            outputs_hash?: string;
        };
        /** @description A gate that the run met. */
        RunGate: {
            /** @example gate_01hzy3v9k5m8q2w4x6z8b0d2f5 */
            gate_id: string;
            step: string;
            /** @enum {string} */
            status: "open" | "approved" | "rejected" | "expired" | "cancelled";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            opened_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            resolved_at?: string;
            /** @description Who has answered, in their order; in the record of one run, and not in lists */
            decisions?: {
                /** @description Id of a user, or the address that a link was sent to */
                by: string;
                /**
                 * @description What the user is called
                 * @example Ann Approver
                 */
                name?: string;
                /** @description The service account that answered for them */
                via?: {
                    id: string;
                    name?: string;
                };
                /** @enum {string} */
                decision: "approve" | "reject";
                /** @example cli */
                channel: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-01-05T09:30:00.000Z
                 */
                at: string;
                note?: string;
            }[];
        };
        /** @description A page of the event log. */
        EventSnapshot: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            events: components["schemas"]["RunEvent"][];
            /** @description The newest number in this answer, or `after_seq` when it is empty */
            last_seq: number;
            /** @description The run has ended: no event comes after what is recorded now */
            terminal: boolean;
            /** @description Ask again with `after_seq` = `last_seq` */
            has_more: boolean;
        };
        /** @description Something that happened in a run. */
        RunEvent: {
            /** @description Position in the run, from 1 without gaps */
            seq: number;
            /**
             * @description Unique name of the event
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4.7
             */
            id: string;
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /**
             * @description One of run.queued, run.started, run.progress, step.started, step.log, step.completed, step.failed, step.published, policy.decided, gate.opened, gate.acknowledged, gate.commented, gate.decision, gate.resolved, gate.expired, budget.reserved, budget.settled, budget.exceeded, model.called, alert.attached, alert.resolved, artifact.created, run.cancelling, run.succeeded, run.failed, run.rejected, run.cancelled, run.expired; more may come
             * @example gate.opened
             */
            type: string;
            /** Format: date-time */
            ts: string;
            step?: string;
            actor?: unknown;
            data: {
                [key: string]: unknown;
            };
        };
        /** @description A file that a run left behind. */
        Artifact: {
            id: string;
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            step: string;
            /** @example report.md */
            name: string;
            /** @example text/markdown */
            media_type: string;
            size_bytes: number;
            /** @description `sha256:` and lower-case hex of the content */
            digest: string;
            /** Format: date-time */
            created_at: string;
            links: {
                download: string;
            };
        };
        /** @description A step of a run with what went in and what came out. */
        RunStep: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /** @example evidence */
            id: string;
            name: string;
            /** @example http.request@1 */
            operator: string;
            /** @example read */
            action_type: string;
            /** @enum {string} */
            state: "pending" | "ready" | "running" | "awaiting_approval" | "succeeded" | "failed" | "skipped" | "cancelled" | "expired" | "outcome_unknown" | "not_reached";
            attempt: number;
            /** Format: date-time */
            started_at?: string;
            /** Format: date-time */
            ended_at?: string;
            message?: string;
            /** @description Of what it does: the hash that its gate asks about */
            plan_hash?: string;
            /** @description As shown to approvers; absent before the step is judged */
            inputs?: {
                /**
                 * @description `sha256:` over the RFC 8785 text
                 * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
                 */
                digest: string;
                /** @description Size of its RFC 8785 text */
                bytes: number;
                /** @description All of it, unless it is cut */
                value?: unknown;
                /** @description Of what is cut, the beginning as text */
                excerpt?: string;
                /**
                 * @description It is too large to be shown whole
                 * @enum {boolean}
                 */
                cut?: true;
            };
            outputs?: components["schemas"]["StepData"];
            simulation?: components["schemas"]["StepData"];
            /** @description Code, message and what else is known: `retry_at` while it waits to be tried again, `retry_after_ms` where the target asked for a longer wait than the timeout of the step allows */
            error?: {
                [key: string]: unknown;
            };
            cost_usd: number;
            taken_over_from?: components["schemas"]["TakenOver"];
            gates: {
                gate_id: string;
                /** @enum {string} */
                status: "open" | "approved" | "rejected" | "expired" | "cancelled";
            }[];
            links: {
                [key: string]: string;
            };
        };
        /** @description Data of a step, secrets redacted. The digest is of all of it. */
        StepData: {
            /**
             * @description `sha256:` over the RFC 8785 text
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            digest: string;
            /** @description Size of its RFC 8785 text */
            bytes: number;
            /** @description All of it, unless it is cut */
            value?: unknown;
            /** @description Of what is cut, the beginning as text */
            excerpt?: string;
            /**
             * @description It is too large to be shown whole
             * @enum {boolean}
             */
            cut?: true;
        };
        /** @description A step of a run with its attempts and its log. */
        RunStepDetail: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /** @example evidence */
            id: string;
            name: string;
            /** @example http.request@1 */
            operator: string;
            /** @example read */
            action_type: string;
            /** @enum {string} */
            state: "pending" | "ready" | "running" | "awaiting_approval" | "succeeded" | "failed" | "skipped" | "cancelled" | "expired" | "outcome_unknown" | "not_reached";
            attempt: number;
            /** Format: date-time */
            started_at?: string;
            /** Format: date-time */
            ended_at?: string;
            message?: string;
            /** @description Of what it does: the hash that its gate asks about */
            plan_hash?: string;
            /** @description As shown to approvers; absent before the step is judged */
            inputs?: {
                /**
                 * @description `sha256:` over the RFC 8785 text
                 * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
                 */
                digest: string;
                /** @description Size of its RFC 8785 text */
                bytes: number;
                /** @description All of it, unless it is cut */
                value?: unknown;
                /** @description Of what is cut, the beginning as text */
                excerpt?: string;
                /**
                 * @description It is too large to be shown whole
                 * @enum {boolean}
                 */
                cut?: true;
            };
            outputs?: components["schemas"]["StepData"];
            simulation?: components["schemas"]["StepData"];
            /** @description Code, message and what else is known: `retry_at` while it waits to be tried again, `retry_after_ms` where the target asked for a longer wait than the timeout of the step allows */
            error?: {
                [key: string]: unknown;
            };
            cost_usd: number;
            taken_over_from?: components["schemas"]["TakenOver"];
            gates: {
                gate_id: string;
                /** @enum {string} */
                status: "open" | "approved" | "rejected" | "expired" | "cancelled";
            }[];
            links: {
                [key: string]: string;
            };
            attempts: components["schemas"]["StepAttempt"][];
            /** @description The last 200 `step.log` events */
            logs: {
                seq: number;
                /** Format: date-time */
                ts: string;
                data: {
                    [key: string]: unknown;
                };
            }[];
        };
        /** @description One attempt of a step. */
        StepAttempt: {
            number: number;
            /** Format: date-time */
            started_at?: string;
            /** Format: date-time */
            ended_at?: string;
            /**
             * @description Absent while it runs, or when its end is not known
             * @enum {string}
             */
            outcome?: "succeeded" | "failed";
            /** @description Code, message and what else is known: `retry_at` while it waits to be tried again, `retry_after_ms` where the target asked for a longer wait than the timeout of the step allows */
            error?: {
                [key: string]: unknown;
            };
            cost_usd?: number;
        };
        /** @description Where a run came from, what became of it, and what led to what. */
        RunLineage: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /**
             * @description What its audit records say, in the words of `svc lineage`; empty while its first record has no place in the chain, and of a run with more than 5,000 records
             * @example [
             *       {
             *         "title": "asked",
             *         "text": "by usr_… (jwt, console) for usr_… by way of console, 2026-01-05T09:30:00.000Z"
             *       }
             *     ]
             */
            story: {
                title: string;
                text: string;
            }[];
            /** @description Nothing that had to be approved ran otherwise, by those records; null where there is no story, or nothing ran that had to be approved */
            as_approved: boolean | null;
            /** @description The pipeline that started it */
            pipeline?: {
                /**
                 * @description Identifier of a pipeline
                 * @example pl_01hzy3v9k5m8q2w4x6z8b0d2f4
                 */
                id: string;
                /** @example dataset-release */
                name: string;
                /** @description The step that it is a run of, or that it compensates */
                step: string;
                /** @enum {string} */
                role: "run" | "compensation";
                /** @enum {string} */
                status: "queued" | "running" | "blocked" | "succeeded" | "failed" | "rejected" | "cancelled";
            };
            /** @description The runs that led to it, the nearest first */
            origins: components["schemas"]["RelatedRun"][];
            /** @description The runs that skills started for its events and those that repeat it, the oldest first, each among the first 1,000 of its kind after it */
            led_to: components["schemas"]["RelatedRun"][];
        };
        /** @description A run that led to another, or followed from it. */
        RelatedRun: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /**
             * @description With its pack
             * @example sre/service-recovery
             */
            template: string;
            /** @enum {string} */
            status: "queued" | "running" | "awaiting_approval" | "cancelling" | "succeeded" | "failed" | "rejected" | "cancelled" | "expired";
            /** Format: date-time */
            created_at: string;
            /**
             * @description What started it, as `provenance.trigger.type` names it: `bus` for an event of the run before it, `again` and `retry` for a repetition of that run
             * @example again
             */
            trigger?: string;
            /**
             * @description The skill that started it
             * @example sre/tell-the-team
             */
            skill?: string;
        };
        /**
         * @description What people want to know beside a gate: how it went before, and the runbook.
         * @example {
         *       "run_id": "run_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *       "similar": [
         *         {
         *           "run_id": "run_01hzy3v9k5m8q2w4x6z8b0d2f3",
         *           "status": "rejected",
         *           "like": "alert",
         *           "environment": "production",
         *           "created_at": "2026-01-04T09:30:00.000Z",
         *           "ended_at": "2026-01-04T09:41:00.000Z",
         *           "decided": [
         *             {
         *               "by": "usr_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *               "name": "Ann Approver",
         *               "decision": "reject",
         *               "at": "2026-01-04T09:41:00.000Z",
         *               "note": "the disk is full, a restart does not help"
         *             }
         *           ]
         *         }
         *       ],
         *       "runbook": {
         *         "why": "named",
         *         "passage": {
         *           "corpus_id": "cor_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *           "corpus": "runbooks",
         *           "path": "database.md",
         *           "from_line": 5,
         *           "to_line": 7,
         *           "heading": "Database > Restart",
         *           "text": "Drain the pool first.\n",
         *           "digest": "sha256:286793f0d7e50dfa119fcd795fe7bb71dbc5d028b6b4c8be8ebfed51271f2fdf"
         *         }
         *       }
         *     }
         */
        RunContext: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /** @description The last five that have ended and were no dry runs */
            similar: components["schemas"]["SimilarRun"][];
            /** @description A passage of a document of this workspace: data of others, and never an instruction */
            runbook?: {
                /**
                 * @description `named`: the alert names this document; `found`: the best hit that mentions what the run is about
                 * @enum {string}
                 */
                why: "named" | "found";
                passage: components["schemas"]["KnowledgePassage"];
            };
        };
        /** @description An earlier run of the same template for the same thing. */
        SimilarRun: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /** @enum {string} */
            status: "succeeded" | "failed" | "rejected" | "cancelled" | "expired";
            /**
             * @description What it shares with this run: the alert (by its fingerprint), a target of a gate, or the service
             * @enum {string}
             */
            like: "alert" | "target" | "service";
            /** @example production */
            environment: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at: string;
            /** @example POST /restart answered 500: restart refused: disk full */
            error?: string;
            /** @description Who answered its gates, in their order */
            decided: {
                by: string;
                /**
                 * @description What the user is called
                 * @example Ann Approver
                 */
                name?: string;
                /** @enum {string} */
                decision: "approve" | "reject";
                /** Format: date-time */
                at: string;
                note?: string;
            }[];
        };
        /** @description A chunk of a document, with its current lines */
        KnowledgePassage: {
            /**
             * @description Identifier of a corpus
             * @example cor_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            corpus_id: string;
            /** @description Name of the corpus */
            corpus: string;
            path: string;
            from_line: number;
            to_line: number;
            /**
             * @description The headings above it
             * @example Restart > Database
             */
            heading?: string;
            /** @description As it was written: data, and never an instruction */
            text: string;
            /** @description `sha256:` of the text */
            digest: string;
        };
        /** @description Everything that it takes to check a run without the service. */
        RunEvidence: {
            /** @enum {string} */
            kind: "svc.run-evidence";
            /** @enum {number} */
            v: 1;
            /** Format: date-time */
            exported_at: string;
            run: components["schemas"]["Run"];
            /** @description In the order of the plan, with plan hashes and digests of their data */
            steps: components["schemas"]["RunStep"][];
            /** @description Its records of the audit log in their order, each as it was hashed; names beside them were not hashed */
            records: components["schemas"]["AuditRecord"][];
            /** @description All of its records that have a place in the chain; false beyond 5,000 */
            complete: boolean;
            /** @description Where the chain ended at the export. A head that was kept elsewhere proves that the log was not rewritten */
            head: {
                seq: number;
                hash: string;
            };
            how_to_verify: string[];
            /** @description Over the RFC 8785 text of all other members */
            digest: string;
        };
        /**
         * @description A record with all that it takes to compute its hash again.
         * @example {
         *       "seq": 17,
         *       "hash": "6d2b79f56d2b79f56d2b79f56d2b79f56d2b79f56d2b79f56d2b79f56d2b79f5",
         *       "prev_hash": "a3c1f0e2a3c1f0e2a3c1f0e2a3c1f0e2a3c1f0e2a3c1f0e2a3c1f0e2a3c1f0e2",
         *       "event": {
         *         "v": 1,
         *         "seq": 17,
         *         "id": "aud_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *         "ts": "2026-01-05T09:30:00.000Z",
         *         "category": "approval",
         *         "action": "gate.decided",
         *         "workspace_id": "ws_00000000000000000000000000",
         *         "actor": {
         *           "type": "user",
         *           "id": "usr_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *           "auth": "jwt"
         *         },
         *         "channel": "console",
         *         "run_id": "run_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *         "subject": {
         *           "type": "gate",
         *           "id": "gate_01hzy3v9k5m8q2w4x6z8b0d2f4"
         *         },
         *         "data": {
         *           "decision": "approve",
         *           "status": "approved"
         *         }
         *       },
         *       "about": "checkout answers 503",
         *       "people": [
         *         {
         *           "id": "usr_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *           "display": "Ada Lovelace",
         *           "email": "ada@example.test"
         *         }
         *       ]
         *     }
         */
        AuditRecord: {
            /**
             * @description Its place in the chain of all workspaces
             * @example 17
             */
            seq: number;
            /** @description sha256 over `prev_hash` and the RFC 8785 form of `event`, as lower-case hex */
            hash: string;
            /** @description The hash of the record before, whosever that is; 64 zeros for record 1 */
            prev_hash: string;
            event: {
                /** @enum {number} */
                v: 1;
                seq: number;
                id: string;
                ts: string;
                /** @enum {string} */
                category: "model_call" | "gated_operation" | "approval" | "policy_decision" | "lineage" | "expiry" | "ask" | "trigger" | "config" | "auth" | "admin" | "sink";
                /** @example gate.decided */
                action: string;
                workspace_id: string;
                actor: {
                    /** @enum {string} */
                    type: "user" | "service" | "schedule" | "system";
                    id: string;
                    /** @enum {string} */
                    auth: "jwt" | "api_key" | "magic_link" | "signature" | "none";
                } & {
                    [key: string]: unknown;
                };
                channel?: string;
                run_id?: string;
                subject: {
                    type: string;
                    id: string;
                } & {
                    [key: string]: unknown;
                };
                data: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            /** @description What its run is about: the reason for it, else its template. Absent without a run, or once that is forgotten. Not part of what was hashed */
            about?: string;
            /** @description People of the workspace whom the event names by id, with their present names; mail addresses for approvers and auditors. Not part of what was hashed */
            people?: {
                id: string;
                display: string;
                email?: string;
            }[];
        };
        /** @description A notice to one recipient, and its delivery. */
        NoticeDelivery: {
            id: string;
            /** @description Absent for a message about a halt or a connection, and for one of a digest */
            run_id?: string;
            /**
             * @description The reason of that run
             * @example api answers 503
             */
            reason?: string;
            /** @description Absent for how a run ended */
            gate_id?: string;
            /** @description Of a message about a halt */
            halt_id?: string;
            /** @description Of a message about what was authorised for a connection */
            connection_id?: string;
            /** @description The digest that tells a `folded` notice, or whose message this is */
            digest_id?: string;
            /** @enum {string} */
            kind: "opened" | "reminder" | "escalated" | "answered_for_you" | "resolved" | "ended" | "halt_set" | "halt_refused" | "halt_lifted" | "digest" | "digest_edit" | "connection_failed" | "connection_unknown" | "connection_ends";
            /** @example ops-hook */
            channel: string;
            /** @example oncall@example.test */
            recipient: string;
            /** @enum {string} */
            state: "planned" | "delivered" | "retrying" | "failed" | "cancelled" | "folded";
            attempts: number;
            /** @description Why the last attempt failed */
            last_error?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            planned_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            last_attempt_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             */
            delivered_at?: string;
            /**
             * Format: date-time
             * @description About when it is tried again
             */
            next_attempt_at?: string;
        };
        /**
         * @description Why a run is cancelled.
         * @example {
         *       "reason": "Started by mistake"
         *     }
         */
        Cancellation: {
            reason?: string;
        };
        /**
         * @description Why a run is repeated. Everything else is taken from the record of the first run.
         * @example {
         *       "reason": "The target is back"
         *     }
         */
        RunRepeat: {
            /** @description Default: the reason of the first run */
            reason?: string;
            /** @description Digest of the template that was shown: if it has changed, the answer is 409 `plan_changed` */
            template_digest?: string;
            /**
             * @description What a halt has refused: it starts once, no matter who asks and how often, and everyone who shaped it shapes the run
             * @example hrf_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            refusal?: string;
        };
        /** @description A gate that waits for an answer; `GET /runs/{id}/pending-approval` says exactly what is being approved. */
        WaitingGate: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            gate_id: string;
            /** @enum {string} */
            kind: "approval" | "outcome_unknown" | "standing_lost";
            step: string;
            /** Format: date-time */
            opened_at: string;
            /** Format: date-time */
            expires_at: string;
            /**
             * @description Hash of exactly what will be done: the operator and its version, the normalised input, and all that the step is resolved through: connection, models that may answer, commitments to their secrets, what the environment may reach
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            plan_hash: string;
            /** @description Its approval acts with high risk, in production or perhaps twice: a person confirms it once more */
            needs_confirmation: boolean;
            /** @description Who asked for the run, by name */
            requester?: {
                id: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                display: string;
                /** @description Shown to those who may answer gates */
                email?: string;
            };
            /** @description The person for whom they asked, where that is another */
            on_behalf_of?: {
                id: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                display: string;
                /** @description Shown to those who may answer gates */
                email?: string;
            };
            /** @description Why the gate opened */
            because: string[];
            /** @description Of a run that retries another one: which, and why that one failed */
            retry?: {
                /** @description The failed run */
                run_id: string;
                /** @example Retry of a run that failed at the step Restart: 409 Conflict */
                text: string;
            };
            /** @description What the votes so far leave open */
            missing: {
                approvals: number;
                /** @description Clauses that nobody has met; each takes one of its roles */
                roles: string[][];
                /** @example 1 more approval, from dba or sre */
                text: string;
            };
            /** @description People who are looking at it, in the order in which they said so */
            acknowledged: {
                /** @description Id of the user or service account */
                by: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                name: string;
                /** Format: date-time */
                at: string;
            }[];
            /** @example sre */
            pack: string;
            /** @example service-recovery */
            template: string;
            environment: string;
            /** @enum {string} */
            environment_class: "production" | "staging" | "development" | "sandbox";
            /** @enum {string} */
            risk: "low" | "medium" | "high";
            /** @example service.restart */
            action_type: string;
            /**
             * @description What will be done
             * @example POST https://shop.example/restart
             */
            summary: string;
            /**
             * @description The exact command; of a longer one the first 1,000 characters, its length and the beginning of its SHA-256. Secrets and invisible characters as in `inputs`
             * @example curl -X POST 'https://shop.example/restart'
             */
            command?: string;
            /** @description How many things it touches, where the operator knows */
            targets?: number;
            /**
             * @description Which decisions need a note
             * @enum {string}
             */
            require_note?: "always" | "reject";
            /** @description Counted so far, and how many it takes */
            approvals: {
                have: number;
                need: number;
            };
            /** @description Why the run was started; of an alert its title */
            reason?: string;
            /**
             * @description What started its run, as `provenance.trigger.type` names it
             * @example alert
             */
            trigger?: string;
            /** @description The alert that started the run */
            alert?: {
                title: string;
                /** @enum {string} */
                severity: "critical" | "high" | "medium" | "low" | "info";
                service: string;
            };
            /**
             * @description The beginning, 200 characters, of each of the first three findings of the steps before
             * @example [
             *       {
             *         "title": "Ask for its health",
             *         "excerpt": "status: 503\njson:\n  detail: disk full"
             *       }
             *     ]
             */
            evidence: {
                title: string;
                excerpt: string;
            }[];
            comment_count: number;
            /** @description The newest comment on it, the first 300 characters */
            newest_comment?: {
                /** @description Id of the user or service account */
                by: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                name: string;
                /** Format: date-time */
                at: string;
                text: string;
            };
            /** @description A freeze in which nobody may approve it */
            frozen?: {
                name: string;
                /** Format: date-time */
                until: string;
            };
            /** @description Why a halt holds its run: an answer is taken, and what is approved goes on when the halt is lifted */
            halted?: string;
            /** @description The answers that would be taken from you now; empty where you may not answer */
            you_may: ("approve" | "reject")[];
        };
        /** @description Exactly what is being approved, and why the gate is on. */
        PendingApproval: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            gate_id: string;
            /** @enum {string} */
            kind: "approval" | "outcome_unknown" | "standing_lost";
            step: string;
            /** Format: date-time */
            opened_at: string;
            /** Format: date-time */
            expires_at: string;
            /** @description Its approval acts with high risk, in production or perhaps twice: a person confirms it once more */
            needs_confirmation: boolean;
            operation: {
                /** @example http.request */
                operator: string;
                /** @example service.restart */
                action_type: string;
                capabilities: string[];
                /** @enum {string} */
                risk: "low" | "medium" | "high";
                environment: string;
                targets: {
                    kind: string;
                    ids: string[];
                    count?: number;
                    percent?: number;
                };
                /** @description Where the connection of the step leads and as whom; its secret is never shown */
                connection?: {
                    id: string;
                    kind: string;
                    host: string;
                    database?: string;
                    base_url?: string;
                    user?: string;
                    parameters?: {
                        [key: string]: string;
                    };
                };
                /** @description The models that may answer a step that asks one, in their order; no other is asked */
                models?: {
                    /**
                     * @description As the step says it: a role, or the id of a model
                     * @example default
                     */
                    name: string;
                    candidates: {
                        id: string;
                        provider: string;
                        /** @description Its name at the provider */
                        model: string;
                        /** @description Where it is asked */
                        base_url?: string;
                        /** @description Why it cannot be asked */
                        problem?: string;
                        /**
                         * @description Where its key is
                         * @example env:OPENAI_API_KEY
                         */
                        key?: string;
                        /** @description Micro-dollars per million tokens */
                        prices: {
                            input: number;
                            output: number;
                            cached_input?: number;
                            cache_write?: number;
                        };
                        limits: {
                            context: number;
                            output: number;
                        };
                        timeout_ms: number;
                        structured_outputs: boolean;
                        /** @description The field in which it is told how much it may answer */
                        limit_field?: string;
                        /** @description What is left out of requests to it */
                        drop_params?: string[];
                    }[];
                    /** @description Prompt and answer go on record in full */
                    texts_on_record: boolean;
                    /** @description Why no model can be asked */
                    problem?: string;
                };
                /** @description The task queue of the external worker that does it; `attest`: the public key by which its result has to be signed */
                queue?: {
                    name: string;
                    task_queue: string;
                    attest?: string;
                };
                /** @description What the operator gets of its deployment, such as the directory of backups */
                deployment?: {
                    [key: string]: unknown;
                };
                /** @description What the environment lets operators reach beside public addresses */
                egress?: string[];
            };
            plan: {
                summary: string;
                steps?: unknown[];
                diff?: {
                    /** @enum {string} */
                    format: "unified" | "json-patch" | "text";
                    body: string;
                };
                /** @description The exact command; secrets and invisible characters as in `inputs` */
                command?: string;
            };
            /**
             * @description Hash of exactly what will be done: the operator and its version, the normalised input, and all that the step is resolved through: connection, models that may answer, commitments to their secrets, what the environment may reach
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            plan_hash: string;
            /** @description What `plan_hash` is over, part by part, each with its own digest */
            covers?: {
                [key: string]: {
                    title: string;
                    digest: string;
                    text?: string;
                };
            };
            /** @description The input as it will be used. Known secrets stand as `<secret:name>`; what would not be seen stands as an escape such as `\u{202e}` */
            inputs: {
                [key: string]: unknown;
            };
            secret_commitments: {
                [key: string]: string;
            };
            /** @description Who asked for the run, by name */
            requester?: {
                id: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                display: string;
                /** @description Shown to those who may answer gates */
                email?: string;
            };
            /** @description The person for whom they asked, where that is another */
            on_behalf_of?: {
                id: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                display: string;
                /** @description Shown to those who may answer gates */
                email?: string;
            };
            /** @description Everyone who shaped the run: under `prevent_self` their approval does not count */
            shaped_by?: {
                id: string;
                /** @description Who that is, where it is a known user */
                person?: {
                    id: string;
                    /**
                     * @description What they are called
                     * @example Ann Approver
                     */
                    display: string;
                    /** @description Shown to those who may answer gates */
                    email?: string;
                };
                /** @enum {string} */
                did: "started" | "asked" | "cancelled" | "invited_account" | "made_key" | "set_password" | "wrote_config" | "wrote_config_preset" | "wrote_input_preset" | "wrote_rule" | "wrote_schedule" | "sent_delivery" | "gave_inputs" | "caused_event" | "shaped_earlier_run";
                /** @example wrote the config preset nightly */
                text: string;
            }[];
            /** @description Of a run that retries another one: which, and why that one failed */
            retry?: {
                /** @description The failed run */
                run_id: string;
                /** @example Retry of a run that failed at the step Restart: 409 Conflict */
                text: string;
            };
            requested_by?: unknown;
            human_root?: unknown;
            reason?: string;
            /** @description Why the gate opened */
            because: string[];
            /** @description What the simulation of the step showed */
            simulation?: unknown;
            /** @description The votes of operator, profile, policy and pack */
            authorities: {
                [key: string]: unknown;
            };
            required: {
                approvals: number;
                /** @description AND of ORs */
                approval_roles: string[][];
                prevent_self: boolean;
                /**
                 * @description Which decisions need a note
                 * @enum {string}
                 */
                require_note?: "always" | "reject";
                /** @description A decision must send `plan_hash` */
                require_plan_hash?: boolean;
                /** @description Freezes that were on when the gate opened */
                freezes?: string[];
                /** @description In whose place an owner answers; of a gate about lost standing */
                vouches_for?: string[];
            };
            /** @description What the votes so far leave open */
            missing: {
                approvals: number;
                /** @description Clauses that nobody has met; each takes one of its roles */
                roles: string[][];
                /** @example 1 more approval, from dba or sre */
                text: string;
            };
            decisions: {
                by: string;
                /** @description Who that is, where it is a known user */
                person?: {
                    id: string;
                    /**
                     * @description What they are called
                     * @example Ann Approver
                     */
                    display: string;
                    /** @description Shown to those who may answer gates */
                    email?: string;
                };
                /** @description The service account that answered for them */
                via?: {
                    id: string;
                    /**
                     * @description What they are called
                     * @example Ann Approver
                     */
                    display: string;
                    /** @description Shown to those who may answer gates */
                    email?: string;
                };
                /** @enum {string} */
                decision: "approve" | "reject";
                /** @description False for an answer that no longer counts because its author may no longer answer */
                counts: boolean;
                /** Format: date-time */
                at: string;
                channel: string;
                note?: string;
            }[];
            /** @description People who are looking at it, in the order in which they said so */
            acknowledged: {
                /** @description Id of the user or service account */
                by: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                name: string;
                /** Format: date-time */
                at: string;
            }[];
            /** @description Comments on it, the oldest first */
            comments: {
                /** @description Id of the user or service account */
                by: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                name: string;
                /** Format: date-time */
                at: string;
                text: string;
            }[];
            allowed_decisions: ("approve" | "reject")[];
            /** @description What the steps before have found out */
            evidence: {
                title: string;
                /** @example step */
                kind: string;
                step?: string;
                /**
                 * @description The step’s own route; `digest` is that of the `outputs` which it answers
                 * @example /runs/run_01hzy3v9k5m8q2w4x6z8b0d2f4/steps/evidence
                 */
                ref: string;
                digest: string;
                /**
                 * @description Its beginning as text, known secrets hidden. Of an HTTP answer the status, then its body once; headers are in `ref`
                 * @example status: 503
                 *     json:
                 *       detail: restart refused: disk full
                 */
                excerpt?: string;
                /** @description The excerpt ends before the finding does */
                cut?: boolean;
                age_s: number;
            }[];
            cost: {
                spent_usd: number;
                reserved_usd: number;
                estimate_usd?: number;
                cap_usd: number;
            };
            channels: string[];
            /** @description When an unanswered gate is announced again, and to which channels it goes then */
            sla?: {
                /** Format: date-time */
                remind_at?: string;
                /** Format: date-time */
                escalate_at?: string;
                escalate_to?: string[];
            };
            broken_policies: string[];
            /** @description Halts over this run: it may be decided meanwhile, and goes on when they are lifted */
            halts?: {
                id: string;
                reason: string;
                by: string;
            }[];
        };
        /** @description What a decision led to. */
        ApprovalOutcome: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            gate_id: string;
            /**
             * @description Where the gate stands now
             * @enum {string}
             */
            status: "open" | "approved" | "rejected" | "expired" | "cancelled";
            /** @enum {string|null} */
            decision: "approve" | "reject" | null;
            /** @description False while more approvals are needed */
            resolved: boolean;
            approvals: {
                have: number;
                need: number;
            };
            resolved_by: string | null;
            /** Format: date-time */
            resolved_at: string | null;
            channel: string;
        };
        /**
         * @description An answer to an open gate. A missing decision is never an approval.
         * @example {
         *       "decision": "approve",
         *       "note": "Checked the dashboard"
         *     }
         */
        ApprovalDecision: {
            /**
             * @description `approved` and `rejected` are accepted too
             * @example approve
             * @enum {string}
             */
            decision: "approve" | "reject";
            /** @description Who decides, where the caller is not the approver */
            approver?: string;
            note?: string;
            /** @description The gate that was shown; another open gate answers 409 */
            gate_id?: string;
            /**
             * @description The plan that was shown; another plan answers 409
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            plan_hash?: string;
        };
        /**
         * @description Why a stale gate is dismissed.
         * @example {
         *       "reason": "Incident is over"
         *     }
         */
        GateDismissal: {
            reason: string;
            /** @description The gate that was shown; another open gate answers 409 */
            gate_id?: string;
        };
        /** @description What a magic link leads to. */
        ApprovalLink: {
            /**
             * @description `blocked` after too many wrong codes
             * @enum {string}
             */
            state: "open" | "decided" | "changed" | "used" | "blocked";
            workspace: string;
            template: string;
            /** @description The rule of the gate asks who decides; the link alone does not do */
            login_required: boolean;
            /** @description Absent for a visitor who must sign in first */
            details?: {
                run_id: string;
                gate_id: string;
                step: string;
                operator: string;
                environment: string;
                /** @example production */
                environment_class: string;
                risk: string;
                /** @description Of the alert that started the run */
                severity: string | null;
                summary: string;
                command: string | null;
                targets: string[];
                /** @description Where the connection of the step leads and as whom */
                connection: string | null;
                /** @description The models that may answer the step, and their endpoints */
                models: string | null;
                because: string[];
                requested_by: string | null;
                /** @description Everyone who shaped the run, by name, and how */
                shaped_by: string[];
                reason: string | null;
                plan_hash: string;
                /** @description The approvals that count, and those that are still needed */
                approvals: {
                    have: number;
                    need: number;
                    /** @description Who has approved, by name */
                    by: string[];
                    missing: number;
                    /** @example 1 more approval, from dba */
                    missing_text: string;
                };
                expires_at: string;
                /** @enum {string|null} */
                note_needed: "reject" | "always" | null;
                /** @description Its approval acts with high risk, in production or perhaps twice: a person confirms it once more */
                needs_confirmation: boolean;
                message: components["schemas"]["NoticeWords"];
            };
            /** @description What others say of the open gate; absent for a visitor who must sign in first */
            remarks?: {
                /** @description Who is looking at it, by name */
                acknowledged: string[];
                comments: {
                    name: string;
                    text: string;
                    at: string;
                    at_words: string;
                }[];
            };
            decided?: {
                status: string;
                by: string | null;
                at: string;
                at_words: string;
            };
            /** @description How many wrong codes the link still bears; absent where a code does not do */
            tries_left?: number;
            /** @description The signed-in user, by name */
            signed_in_as?: string;
            /** @description The signed-in user */
            user_id?: string;
            /** @description What the signed-in user may answer, and who else may; absent once it is decided */
            answers?: {
                you_may: ("approve" | "reject")[];
                /**
                 * @description What the gate still needs
                 * @example 1 more approval, from dba
                 */
                missing: string;
                /** @description People who may bring it, by name */
                others: string[];
            };
            /** @description Goes back with the decision, as a field or in `X-Svc-Confirm` */
            nonce: string;
        };
        /** @description The words of the message that brought the link, as of now. */
        NoticeWords: {
            title: string;
            summary: string;
            outcome?: string;
            note?: string;
            facts: {
                label: string;
                value: string;
            }[];
            command?: string;
            because: string[];
            evidence: {
                title: string;
                excerpt: string;
            }[];
        };
        /** @description A decision as the page of a magic link sends it. */
        LinkAnswer: {
            /** @enum {string} */
            decision?: "approve" | "reject" | "";
            note?: string;
            /** @description `1` confirms an approval that needs it; asked of pages, not of programs */
            sure?: string;
            nonce?: string;
            /** @description From the message that brought the link */
            code?: string;
            email?: string;
            password?: string;
            /** @description The user whom the page named: an answer of another one is refused */
            user_id?: string;
            /** @description `1` with a sign-in: opens a session of the console, which is good for further links too */
            keep?: string;
        };
        /** @description What a bulk dismissal did, or would do. */
        DismissalOutcome: {
            /** @description Ids of runs */
            dismissed: string[];
            skipped: {
                run_id: string;
                why: string;
            }[];
            token?: string;
        };
        /**
         * @description Which stale gates are dismissed, and why. At least one selector is needed.
         * @example {
         *       "older_than_hours": 48,
         *       "environment": "staging",
         *       "reason": "Left over from last week",
         *       "dry_run": true
         *     }
         */
        BulkDismissal: {
            run_ids?: string[];
            /** @description Default 24, unless `run_ids` are given */
            older_than_hours?: number;
            pack?: string;
            environment?: string;
            reason: string;
            dry_run?: boolean;
            /** @description Of a dry run */
            token?: string;
        };
        /** @description Who looks at a gate, and the comments on it. None of it is a vote. */
        GateRemarks: {
            /** @description People who are looking at it, in the order in which they said so */
            acknowledged: {
                /** @description Id of the user or service account */
                by: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                name: string;
                /** Format: date-time */
                at: string;
            }[];
            /** @description Comments on it, the oldest first */
            comments: {
                /** @description Id of the user or service account */
                by: string;
                /**
                 * @description What they are called
                 * @example Ann Approver
                 */
                name: string;
                /** Format: date-time */
                at: string;
                text: string;
            }[];
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            gate_id: string;
        };
        /**
         * @description A comment on an open gate.
         * @example {
         *       "text": "The host is in maintenance until 10:00"
         *     }
         */
        GateComment: {
            /** @description Plain text; the audit record keeps it */
            text: string;
        };
        /** @description A template that can be run. */
        PackTemplate: {
            /** @example sre */
            pack: string;
            /** @example service-recovery */
            template: string;
            /** @example 1.0.0 */
            version: string;
            /** @description Of the pack */
            digest: string;
            /** @description Of the template; a start may ask for it */
            template_digest: string;
            title: string;
            description?: string;
            /** @enum {string} */
            risk: "low" | "medium" | "high";
            action_types: string[];
            capabilities: string[];
            /** @description JSON Schema of the inputs */
            inputs: {
                [key: string]: unknown;
            };
        };
        /**
         * @description What a run is started with.
         * @example {
         *       "inputs": {
         *         "url": "http://127.0.0.1:8080"
         *       },
         *       "environment": "development",
         *       "reason": "Errors after the deploy"
         *     }
         */
        RunRequest: {
            /**
             * @description Checked against the template’s input schema
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            profile?: string;
            /** @description Name or id of a config preset: it fills in inputs that the start does not name. Default: the default one, where there is one */
            config_preset?: string;
            /** @description Default: the workspace’s default environment */
            environment?: string;
            sandbox?: boolean;
            /** @description Act on nothing, ask nobody, wait for nothing; `outputs.dry_run` reports what each step would do */
            dry_run?: boolean;
            labels?: {
                [key: string]: string;
            };
            reason?: string;
            /** @description Digest of the template that was shown: if it has changed, the answer is 409 `plan_changed` */
            template_digest?: string;
            /** @description The plan as `preflight` showed it: with another template, other inputs, another place, preset or verdict of the policies it answers 409 `plan_changed` */
            plan_hash?: string;
            ask?: components["schemas"]["AskOrigin"];
            /**
             * @description What a halt has refused: it starts once, no matter who asks and how often, and everyone who shaped it shapes the run
             * @example hrf_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            refusal?: string;
        };
        /**
         * @description The answer of `POST /ask` whose action is started; it must be yours, and its plan unchanged
         * @example {
         *       "thread_id": "thr_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *       "turn_id": "turn_01hzy3v9k5m8q2w4x6z8b0d2f5"
         *     }
         */
        AskOrigin: {
            thread_id: string;
            turn_id: string;
        };
        /** @description What a template takes, does, needs and may ask. */
        TemplateContract: {
            pack: string;
            template: string;
            version: string;
            /** @description Of the pack */
            digest: string;
            /** @description Of the template; a start may ask for it */
            template_digest: string;
            title: string;
            description?: string;
            /** @enum {string} */
            risk: "low" | "medium" | "high";
            /** @description Of which gates and integrations are told */
            environment: string;
            /** @description JSON Schema */
            inputs: {
                [key: string]: unknown;
            };
            ui: {
                /** @description Names of inputs as the template lists them */
                order: string[];
                /** @description JSON Pointers of inputs that are never shown again */
                secret: string[];
            };
            outputs: {
                [key: string]: unknown;
            };
            plan: {
                step: string;
                operator: string;
                action_type: string;
                capabilities: string[];
                gate: {
                    /** @description It may need approval */
                    possible: boolean;
                    because: string[];
                };
            }[];
            integrations: {
                connection: string;
                kind: string;
                required: boolean;
                bound: boolean;
                /** @enum {string} */
                status: "bound" | "unbound" | "other_kind";
            }[];
            /** @description Config presets that a start may name */
            presets: {
                id: string;
                name: string;
                version: number;
                is_default: boolean;
            }[];
            metrics: string[];
            /** @description The workspace may use a sandbox environment */
            sandbox: boolean;
            estimate_usd: number | null;
        };
        /**
         * @description The steps of a template in their order. `gate`: it may need approval.
         * @example {
         *       "mermaid": "flowchart TD\n  s0[\"act<br/>http.request\"]\n",
         *       "nodes": [
         *         {
         *           "id": "act",
         *           "label": "act",
         *           "operator": "http.request",
         *           "gate": false
         *         }
         *       ],
         *       "edges": []
         *     }
         */
        TemplateGraph: {
            mermaid: string;
            nodes: {
                id: string;
                label: string;
                operator: string;
                gate: boolean;
            }[];
            edges: {
                from: string;
                to: string;
                when?: string;
            }[];
        };
        /**
         * @description Whether inputs fit a template. What does not fit is a result, not an error.
         * @example {
         *       "valid": true,
         *       "errors": [],
         *       "normalized": {
         *         "url": "http://127.0.0.1:8080",
         *         "action": "restart"
         *       }
         *     }
         */
        InputsAnswer: {
            valid: boolean;
            errors: {
                pointer: string;
                loc: (string | number)[];
                msg: string;
                type: string;
            }[];
            /** @description With the defaults; secrets are left out */
            normalized: {
                [key: string]: unknown;
            };
        };
        InputsQuestion: {
            /**
             * @description Checked against the template’s input schema
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Name or id of a config preset: it fills in inputs that the start does not name. Default: the default one, where there is one */
            config_preset?: string;
        };
        /**
         * @description What a start would meet now. Nothing was started and nothing is on record.
         * @example {
         *       "verdict": "ready",
         *       "checks": [
         *         {
         *           "id": "inputs",
         *           "status": "pass",
         *           "message": "the inputs fit the template"
         *         }
         *       ],
         *       "policy": {
         *         "effect": "allow_auto",
         *         "matched": []
         *       },
         *       "gates_expected": [],
         *       "estimate_usd": 0,
         *       "environment": "development",
         *       "profile": "default",
         *       "config_preset": null,
         *       "inputs": {
         *         "url": "http://127.0.0.1:8080",
         *         "action": "restart"
         *       },
         *       "plan_hash": "sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd",
         *       "expires_at": "2026-01-05T09:35:00.000Z"
         *     }
         */
        Preflight: {
            /**
             * @description blocked: a check failed
             * @enum {string}
             */
            verdict: "ready" | "blocked";
            checks: {
                /** @enum {string} */
                id: "inputs" | "environment" | "connections" | "queues" | "policy" | "freezes" | "halts" | "budget" | "caller";
                /** @enum {string} */
                status: "pass" | "warn" | "fail" | "skipped";
                message: string;
                /** @description What helps */
                fix?: string;
                evidence?: {
                    [key: string]: unknown;
                };
            }[];
            policy: {
                /** @enum {string} */
                effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto" | "unknown";
                matched: {
                    name: string;
                    layer: string;
                    effect: string;
                    reason: string;
                }[];
            };
            gates_expected: {
                step: string;
                because: string[];
                /** @description All of these clauses, any role of each */
                approval_roles: string[][];
            }[];
            /** @description At most; null where it is not known before inputs are rendered */
            estimate_usd: number | null;
            /** @description Where it would run; null where there is no such place */
            environment: string | null;
            /** @description Under which profile */
            profile: string | null;
            /** @description The config preset that fills in inputs */
            config_preset: string | null;
            /** @description What it would start with: over the preset and the defaults; secrets are left out */
            inputs: {
                [key: string]: unknown;
            };
            /** @description Of what was checked: the template, the inputs, the place, the preset and what the policies say. A start with it is refused once any of that is another */
            plan_hash: string;
            /**
             * Format: date-time
             * @description Until when the checks may be taken for current
             */
            expires_at: string;
        };
        PreflightQuestion: {
            /**
             * @description Checked against the template’s input schema
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            profile?: string;
            /** @description Name or id of a config preset: it fills in inputs that the start does not name. Default: the default one, where there is one */
            config_preset?: string;
            /** @description Default: the workspace’s default environment */
            environment?: string;
            sandbox?: boolean;
            /** @description Act on nothing, ask nobody, wait for nothing; `outputs.dry_run` reports what each step would do */
            dry_run?: boolean;
        };
        /** @description The outcome of each alert, in the order received. */
        AlertResults: {
            results: {
                /** @example alertmanager|checkout|HighErrorRate */
                fingerprint: string;
                /** @enum {string} */
                outcome: "started" | "attached" | "resolved" | "throttled" | "suppressed" | "denied" | "frozen" | "halted" | "unmatched";
                run_id?: string;
                attached_count?: number;
                rule?: string;
                /** @description Why no run was started */
                detail?: string;
            }[];
            /** @description Place in the inbox, where there is one */
            delivery_id?: string;
            /**
             * @description Stored in the inbox; its outcome is not known yet
             * @enum {string}
             */
            outcome?: "received";
            /** @description Alerts that the sender says it has left out */
            truncated?: number;
        };
        /** @description The outcome of a pattern. */
        PatternResult: {
            /** @example pattern|checkout|serviceunhealthy */
            fingerprint: string;
            /** @enum {string} */
            outcome: "started" | "attached" | "throttled" | "suppressed" | "denied" | "frozen" | "halted" | "unmatched";
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id?: string;
            attached_count?: number;
            rule?: string;
            /** @description Why no run was started */
            detail?: string;
            /** @description In the inbox */
            delivery_id?: string;
        };
        /** @description Committed to the inbox; its outcome is shown there. */
        QueuedDelivery: {
            delivery_id: string;
            /** @enum {string} */
            outcome: "received";
        };
        /**
         * @description A pattern that another system recognised.
         * @example {
         *       "pattern": "ServiceUnhealthy",
         *       "service": "checkout",
         *       "confidence": 0.93,
         *       "evidence": [
         *         {
         *           "title": "Error rate",
         *           "ref": "https://grafana.example/d/7"
         *         }
         *       ]
         *     }
         */
        PatternSignal: {
            /** @description What was recognised */
            pattern: string;
            service: string;
            /** @description Default: the pattern */
            symptom?: string;
            confidence?: number;
            /** @default [] */
            evidence?: {
                title: string;
                /**
                 * @description Where it is to be found
                 * @example https://logs.example/q/17
                 */
                ref: string;
                /** @description Of what was found there */
                digest?: string;
            }[];
            /**
             * @description Checked against the template’s input schema
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            pack?: string;
            /** @description With `pack`: what to run. Without both, rules choose */
            template?: string;
        };
        /** @description A run that has not ended, and its state. */
        StartedRun: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            status: components["schemas"]["RunStatus"];
            delivery_id?: string;
        };
        /**
         * @description A start by hand.
         * @example {
         *       "pack": "sre",
         *       "template": "service-recovery",
         *       "inputs": {
         *         "url": "http://127.0.0.1:8080"
         *       },
         *       "wait": true,
         *       "reason": "Errors after the deploy"
         *     }
         */
        ManualTrigger: {
            /**
             * @description Checked against the template’s input schema
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            profile?: string;
            /** @description Name or id of a config preset: it fills in inputs that the start does not name. Default: the default one, where there is one */
            config_preset?: string;
            /** @description Default: the workspace’s default environment */
            environment?: string;
            sandbox?: boolean;
            /** @description Act on nothing, ask nobody, wait for nothing; `outputs.dry_run` reports what each step would do */
            dry_run?: boolean;
            labels?: {
                [key: string]: string;
            };
            reason?: string;
            /** @description Digest of the template that was shown: if it has changed, the answer is 409 `plan_changed` */
            template_digest?: string;
            /** @description The plan as `preflight` showed it: with another template, other inputs, another place, preset or verdict of the policies it answers 409 `plan_changed` */
            plan_hash?: string;
            pack: string;
            template: string;
            /**
             * @description Answer with the result when it is there in time
             * @default false
             */
            wait?: boolean;
            /**
             * @description How long `wait` waits
             * @default 30
             */
            wait_timeout_s?: number;
            /**
             * @description Gives way to what is urgent; there is no way up
             * @enum {string}
             */
            lane?: "background";
        };
        /** @description The text that a sender asked to have back. */
        IngressChallenge: {
            challenge: string;
        };
        /** @description The outcome of a signed delivery; a repeated one gets the first answer. */
        IngressAnswer: {
            /** @example dlv_01jd4c2v7m8k9h3r5t6w1x0y2z */
            delivery_id: string;
            /** @enum {string} */
            outcome: "started" | "attached" | "resolved" | "throttled" | "suppressed" | "denied" | "frozen" | "halted" | "unmatched";
            run_id?: string;
            attached_count?: number;
            rule?: string;
            /** @description Why no run was started */
            detail?: string;
            /**
             * @description The stage where it ended, when it matched no rule or started no run
             * @enum {string}
             */
            stopped_at?: "when" | "normalize" | "rules" | "run";
        };
        /** @description Starts runs of a template by the clock. */
        Schedule: {
            /**
             * @description Identifier of a schedule
             * @example sch_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            /**
             * @description Identifier of a workspace
             * @example ws_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            workspace_id: string;
            name: string;
            /**
             * @description Console overrides overlay, overlay overrides skills and packs
             * @enum {string}
             */
            source: "console" | "pack" | "skill" | "overlay";
            cron: string;
            timezone: string;
            /**
             * @description Needed when day of the month and day of the week are both restricted
             * @enum {string}
             */
            days?: "and" | "or";
            pack: string;
            template: string;
            inputs: {
                [key: string]: unknown;
            };
            profile?: string;
            environment?: string;
            config_preset?: string;
            preset_version?: number;
            enabled: boolean;
            /** @enum {string} */
            catchup: "none" | "latest" | "all";
            /** @enum {string} */
            overlap: "skip" | "queue" | "cancel_previous";
            jitter_s: number;
            dst: components["schemas"]["ScheduleClockChanges"];
            /**
             * @description Whether the engine has this version already
             * @enum {string}
             */
            sync: "synced" | "pending";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            next_fire_at?: string;
            last_fire?: components["schemas"]["ScheduleFire"];
            created_by?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            updated_at: string;
            /**
             * @description For `If-Match`
             * @example "3"
             */
            etag: string;
        };
        ScheduleClockChanges: {
            /** @enum {string} */
            gap: "run_at_end" | "skip";
            /** @enum {string} */
            fold: "first" | "both";
        };
        /** @description The outcome of one time of a schedule. */
        ScheduleFire: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            nominal_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            actual_at: string;
            run_id?: string;
            /** @enum {string} */
            outcome: "started" | "skipped" | "missed" | "denied" | "frozen" | "halted" | "invalid" | "claimed" | "waiting";
            reason?: string;
        };
        /** @description When a cron expression would fire. */
        SchedulePreview: {
            /** @description The next ten times */
            next_fires: string[];
        };
        /** @description The times of a schedule. */
        ScheduleFires: {
            /** @description The next ten; none while it is paused */
            next: string[];
            /** @description The last fifty on record, the newest first */
            past: components["schemas"]["ScheduleFire"][];
        };
        /** @description What starts runs when something arrives. */
        Starters: {
            /** @description Of alerts and patterns, in the order in which they are tried */
            rules: components["schemas"]["TriedRule"][];
            /** @description Signed webhooks of packs, each with rules of its own */
            ingress: {
                pack: string;
                name: string;
                /** @example /triggers/ingress/sre/github-deployments */
                path: string;
                /**
                 * @description How its deliveries prove who sent them
                 * @example github
                 */
                scheme: string;
                rules: components["schemas"]["TriedRule"][];
            }[];
        };
        /** @description A sound rule of any layer. */
        TriedRule: {
            name: string;
            description?: string;
            /** @enum {string} */
            layer: "console" | "overlay" | "pack";
            /** @description Its file, or who wrote it in the console */
            origin: string;
            pack?: string;
            /** @enum {string} */
            on: "alert" | "pattern" | "ingress";
            /**
             * @default {
             *       "severity": [],
             *       "labels": {}
             *     }
             */
            match?: {
                source?: string;
                service?: string;
                symptom?: string | string[];
                /** @default [] */
                severity?: ("critical" | "high" | "medium" | "low" | "info")[];
                /** @default {} */
                labels?: {
                    [key: string]: string;
                };
                when?: string;
            };
            /** @description The template that it starts */
            run: string;
            environment?: string;
            profile?: string;
            /**
             * @default record
             * @enum {string}
             */
            on_resolved?: "record" | "withdraw" | "cancel";
        };
        /** @description What happened to a signed delivery, stage by stage. */
        DeliveryTrace: {
            /** @example dlv_01jd4c2v7m8k9h3r5t6w1x0y2z */
            delivery_id: string;
            /** @example sre/github-deployments */
            ingress: string;
            /** Format: date-time */
            received_at: string;
            /**
             * @description `working`: nothing is on record yet. `received`: it waits in the inbox; what was processed from there has the status of the inbox.
             * @enum {string}
             */
            outcome: "started" | "attached" | "resolved" | "throttled" | "suppressed" | "denied" | "frozen" | "halted" | "unmatched" | "received" | "failed" | "replayed" | "working";
            /** @description How the ingress verifies it today; absent when the ingress was removed */
            scheme?: string;
            rule?: string;
            run_id?: string;
            /** @description In the order in which they are passed */
            stages: components["schemas"]["TraceStage"][];
        };
        /** @description One stage of a signed delivery. */
        TraceStage: {
            /** @enum {string} */
            stage: "received" | "signature" | "replay_window" | "repeat" | "when" | "normalize" | "rules" | "run";
            /**
             * @description `not_checked`: its scheme signs no time, or a recovery asks no rule. `unknown`: the record does not say it.
             * @enum {string}
             */
            result: "passed" | "stopped" | "not_reached" | "not_checked" | "pending" | "unknown";
            detail?: string;
        };
        /** @description A skill that starts runs. */
        SkillStarter: {
            /** @example sre/morning-check */
            id: string;
            description: string;
            /** @enum {string} */
            layer: "pack" | "overlay";
            file: string;
            /**
             * @description The template that it starts
             * @example sre/service-recovery
             */
            run: string;
            environment?: string;
            profile?: string;
            dry_run: boolean;
            /** @description The schedule that fires it, under whose name its runs start */
            schedule?: string;
            /** @description Topics that fire it */
            on: string[];
            /**
             * @description Who starts its runs when an event fires it
             * @example skill:sre/morning-check
             */
            account?: string;
            /** @description The last event in this workspace, of thirty days */
            last?: {
                /** Format: date-time */
                at: string;
                topic: string;
                /** @description `working` until it is settled */
                outcome: string;
                reason?: string;
                run_id?: string;
            };
        };
        /** @description A new schedule with what is to be expected of it. */
        CreatedSchedule: {
            /**
             * @description Identifier of a schedule
             * @example sch_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            /**
             * @description Identifier of a workspace
             * @example ws_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            workspace_id: string;
            name: string;
            /**
             * @description Console overrides overlay, overlay overrides skills and packs
             * @enum {string}
             */
            source: "console" | "pack" | "skill" | "overlay";
            cron: string;
            timezone: string;
            /**
             * @description Needed when day of the month and day of the week are both restricted
             * @enum {string}
             */
            days?: "and" | "or";
            pack: string;
            template: string;
            inputs: {
                [key: string]: unknown;
            };
            profile?: string;
            environment?: string;
            config_preset?: string;
            preset_version?: number;
            enabled: boolean;
            /** @enum {string} */
            catchup: "none" | "latest" | "all";
            /** @enum {string} */
            overlap: "skip" | "queue" | "cancel_previous";
            jitter_s: number;
            dst: components["schemas"]["ScheduleClockChanges"];
            /**
             * @description Whether the engine has this version already
             * @enum {string}
             */
            sync: "synced" | "pending";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            next_fire_at?: string;
            last_fire?: components["schemas"]["ScheduleFire"];
            created_by?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            updated_at: string;
            /**
             * @description For `If-Match`
             * @example "3"
             */
            etag: string;
            /** @description The next ten */
            next_fires: string[];
            /** @description What policies say now of the whole template; every firing is judged again */
            policy_forecast: {
                /** @enum {string} */
                effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto" | "unknown";
                matched: {
                    name: string;
                    layer: string;
                    /** @enum {string} */
                    effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                    reason: string;
                }[];
                /** @description A firing may wait for an approval */
                gate_possible: boolean;
            };
        };
        /**
         * @description A schedule as it is made.
         * @example {
         *       "name": "nightly-check",
         *       "cron": "30 2 * * *",
         *       "timezone": "Europe/Berlin",
         *       "pack": "sre",
         *       "template": "service-recovery",
         *       "inputs": {
         *         "url": "http://127.0.0.1:8080"
         *       }
         *     }
         */
        ScheduleDraft: {
            /**
             * @description Unique in its workspace
             * @example nightly-check
             */
            name: string;
            /**
             * @description Five fields, or six with seconds first
             * @example 30 6 * * 1-5
             */
            cron: string;
            /**
             * @description IANA name
             * @default UTC
             * @example Europe/Berlin
             */
            timezone?: string;
            /**
             * @description Needed when day of the month and day of the week are both restricted
             * @enum {string}
             */
            days?: "and" | "or";
            pack: string;
            template: string;
            /**
             * @description Checked against the template’s input schema
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            profile?: string;
            environment?: string;
            /** @description Pinned: every firing uses it */
            config_preset?: string;
            preset_version?: number;
            /** @default true */
            enabled?: boolean;
            /**
             * @description What is made up for after an outage of at most 1 h
             * @default none
             * @enum {string}
             */
            catchup?: "none" | "latest" | "all";
            /**
             * @description When the run of the firing before is still active
             * @default skip
             * @enum {string}
             */
            overlap?: "skip" | "queue" | "cancel_previous";
            /** @default 0 */
            jitter_s?: number;
            dst?: components["schemas"]["ScheduleDst"];
        };
        /**
         * @description What happens while clocks are changed.
         * @default {
         *       "gap": "run_at_end",
         *       "fold": "first"
         *     }
         */
        ScheduleDst: {
            /**
             * @description A time that does not exist
             * @default run_at_end
             * @enum {string}
             */
            gap?: "run_at_end" | "skip";
            /**
             * @description A time that exists twice
             * @default first
             * @enum {string}
             */
            fold?: "first" | "both";
        };
        /**
         * @description Pauses or resumes: `enabled`, or `state`.
         * @example {
         *       "state": "paused"
         *     }
         */
        ScheduleEdit: {
            enabled?: boolean;
            /** @enum {string} */
            state?: "paused" | "active";
        };
        /** @description A delivery, and its outcome. */
        InboxItem: {
            id: string;
            /** Format: date-time */
            received_at: string;
            /** @example /triggers/alert */
            route: string;
            source: string | null;
            /** @enum {string} */
            status: "received" | "started" | "attached" | "unmatched" | "throttled" | "failed" | "replayed";
            attempts: number;
            run_id?: string;
            error?: {
                code: string;
                message: string;
            };
            /** @description Those that say what was sent; never a proof */
            headers: {
                [key: string]: string;
            };
            body_digest: string;
            /** @description With `body=1`; what is named like a secret is hidden */
            body?: Record<string, unknown> | unknown[] | string | number | boolean | null;
        };
        /** @description What a replay did with one delivery. */
        ReplayOutcome: {
            id: string;
            /** @enum {string} */
            outcome: "started" | "attached" | "unmatched" | "throttled" | "failed" | "received" | "skipped" | "simulated" | "not_found";
            run_id?: string;
            error?: {
                code: string;
                message: string;
            };
            /** @description What would happen to each part of the delivery now */
            would?: {
                [key: string]: unknown;
            }[];
        };
        ChatCompletion: {
            id: string;
            /** @enum {string} */
            object: "chat.completion";
            created: number;
            model: string;
            choices: {
                index: number;
                message: {
                    /** @enum {string} */
                    role: "assistant";
                    content: string | null;
                    refusal: string | null;
                    tool_calls?: {
                        id: string;
                        /** @enum {string} */
                        type: "function";
                        function: {
                            name: string;
                            arguments: string;
                        };
                    }[];
                };
                logprobs: {
                    [key: string]: unknown;
                } | null;
                /** @enum {string} */
                finish_reason: "stop" | "length" | "tool_calls" | "content_filter";
            }[];
            /** @description Absent where the provider did not say */
            usage?: {
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                prompt_tokens_details: {
                    cached_tokens: number;
                };
                completion_tokens_details: {
                    reasoning_tokens: number;
                };
            };
        };
        /** @description A refusal in the format of OpenAI */
        ModelError: {
            error: {
                message: string;
                /** @example insufficient_quota */
                type: string;
                param: string | null;
                /** @example budget_exceeded */
                code: string;
            };
        };
        /** @description A chat completion in the OpenAI format */
        ChatRequest: {
            /**
             * @description A role (default, small, judge, embed) or the id of a model
             * @example default
             */
            model: string;
            messages: ({
                /** @enum {string} */
                role: "system";
                content: string | {
                    /** @enum {string} */
                    type: "text";
                    text: string;
                }[];
                name?: string;
            } | {
                /** @enum {string} */
                role: "developer";
                content: string | {
                    /** @enum {string} */
                    type: "text";
                    text: string;
                }[];
                name?: string;
            } | {
                /** @enum {string} */
                role: "user";
                content: string | ({
                    /** @enum {string} */
                    type: "text";
                    text: string;
                } | {
                    /** @enum {string} */
                    type: "image_url";
                    image_url: {
                        url: string;
                        detail?: string | null;
                    };
                } | {
                    /** @enum {string} */
                    type: "input_audio";
                    input_audio: {
                        data: string;
                        format: string;
                    };
                } | {
                    /** @enum {string} */
                    type: "file";
                    file: {
                        file_data?: string;
                        file_id?: string;
                        filename?: string;
                    };
                })[];
                name?: string;
            } | {
                /** @enum {string} */
                role: "assistant";
                content?: string | ({
                    /** @enum {string} */
                    type: "text";
                    text: string;
                } | {
                    /** @enum {string} */
                    type: "refusal";
                    refusal: string;
                })[] | null;
                refusal?: string | null;
                name?: string;
                tool_calls?: {
                    id: string;
                    /** @enum {string} */
                    type: "function";
                    function: {
                        name: string;
                        arguments: string;
                    };
                }[] | null;
            } | {
                /** @enum {string} */
                role: "tool";
                tool_call_id: string;
                content: string | {
                    /** @enum {string} */
                    type: "text";
                    text: string;
                }[];
            })[];
            stream?: boolean | null;
            stream_options?: {
                include_usage?: boolean | null;
                include_obfuscation?: boolean | null;
            } | null;
            temperature?: number | null;
            top_p?: number | null;
            max_tokens?: number | null;
            max_completion_tokens?: number | null;
            n?: number | null;
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
            logit_bias?: {
                [key: string]: number;
            } | null;
            logprobs?: boolean | null;
            top_logprobs?: number | null;
            tools?: {
                /** @enum {string} */
                type: "function";
                function: {
                    name: string;
                    description?: string | null;
                    parameters?: {
                        [key: string]: unknown;
                    } | null;
                    strict?: boolean | null;
                };
            }[] | null;
            tool_choice?: ("auto" | "none" | "required") | {
                /** @enum {string} */
                type: "function";
                function: {
                    name: string;
                };
            } | null;
            parallel_tool_calls?: boolean | null;
            response_format?: {
                /** @enum {string} */
                type: "text";
            } | {
                /** @enum {string} */
                type: "json_object";
            } | {
                /** @enum {string} */
                type: "json_schema";
                json_schema: {
                    name: string;
                    description?: string | null;
                    schema?: {
                        [key: string]: unknown;
                    } | null;
                    strict?: boolean | null;
                };
            } | null;
            modalities?: "text"[] | null;
            reasoning_effort?: string | null;
            verbosity?: string | null;
            stop?: string | string[] | null;
            seed?: number | null;
            /** @enum {string|null} */
            service_tier?: "auto" | "default" | "flex" | null;
            store?: boolean | null;
            metadata?: {
                [key: string]: string;
            } | null;
            user?: string | null;
            safety_identifier?: string | null;
            prompt_cache_key?: string | null;
            prompt_cache_retention?: string | null;
        };
        /** @description Models that can be called, and the roles that one of them has here */
        ModelList: {
            /** @enum {string} */
            object: "list";
            data: {
                id: string;
                /** @enum {string} */
                object: "model";
                created: number;
                owned_by: string;
            }[];
        };
        /** @description A model of `models.yaml`, and whether it can be called */
        RegisteredModel: {
            /**
             * @description What callers name
             * @example gpt-4o-mini
             */
            id: string;
            /** @enum {string} */
            provider: "openai_compatible" | "openai" | "anthropic" | "google";
            /** @description Its name at the provider */
            provider_model: string;
            /**
             * @description Without a user or a query; absent where it is the provider's own
             * @example http://127.0.0.1:9191/v1
             */
            base_url?: string;
            /** @description Absent where the model has none */
            key?: {
                /**
                 * @description Where it is, never itself
                 * @example env:OPENAI_API_KEY
                 */
                reference: string;
                resolves: boolean;
            };
            prices?: components["schemas"]["ModelPrices"];
            limits?: components["schemas"]["ModelLimits"];
            timeout_ms: number;
            callable: boolean;
            /** @description Why it is never called */
            why_not?: string;
            /** @description Roles that it has; a profile may say otherwise for its runs */
            roles: {
                /** @enum {string} */
                role: "default" | "small" | "judge" | "embed";
                /** @enum {string} */
                as: "model" | "fallback";
            }[];
            /** @description The last one in this workspace */
            last_probe?: {
                /** @example gpt-4o-mini */
                model: string;
                ok: boolean;
                latency_ms: number;
                /** @description Absent if it could not be recorded */
                cost_usd?: number;
                /**
                 * @description What `limit_field` has to be in `models.yaml`, where the model refused the other one
                 * @enum {string}
                 */
                limit_field?: "max_tokens" | "max_completion_tokens";
                /** @description What failed, in a sentence */
                failed?: {
                    /** @example not_configured */
                    code: string;
                    message: string;
                };
                /** @example usr_local */
                by: string;
                /** Format: date-time */
                at: string;
            };
        };
        /**
         * @description US dollars for a million tokens
         * @example {
         *       "input_usd": 0.15,
         *       "output_usd": 0.6
         *     }
         */
        ModelPrices: {
            input_usd: number;
            output_usd: number;
            /** @description For input that the provider had cached, where it differs */
            cached_input_usd?: number;
            /** @description For input that the provider caches, where it differs */
            cache_write_usd?: number;
        };
        /** @description Tokens: of a prompt with its answer, and of an answer */
        ModelLimits: {
            /** @example 128000 */
            context: number;
            /** @example 16384 */
            output: number;
        };
        /** @description A minimal call of a model, and its result */
        ModelProbe: {
            /** @example gpt-4o-mini */
            model: string;
            ok: boolean;
            latency_ms: number;
            /** @description Absent if it could not be recorded */
            cost_usd?: number;
            /**
             * @description What `limit_field` has to be in `models.yaml`, where the model refused the other one
             * @enum {string}
             */
            limit_field?: "max_tokens" | "max_completion_tokens";
            /** @description What failed, in a sentence */
            failed?: {
                /** @example not_configured */
                code: string;
                message: string;
            };
            /** @example usr_local */
            by: string;
            /** Format: date-time */
            at: string;
        };
        /** @description What calls of models cost, and what was refused */
        GatewaySummary: {
            window: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            };
            /** Format: date-time */
            generated_at: string;
            /** @description False where there were more calls than are counted: then the newest are */
            complete: boolean;
            totals: {
                /** @description Attempts, each of which is one request to a provider */
                calls: number;
                /** @example 0.0056 */
                usd: number;
                /**
                 * @description What providers report beyond what was reserved
                 * @example 0.0056
                 */
                overrun_usd: number;
                /** @description Charged by what the provider reports */
                reported: number;
                /** @description Charged in full, because their usage is unknown */
                estimated: number;
                /** @description Turned down before anything was spent */
                unspent: number;
            };
            by_model: {
                model: string;
                /** @description Attempts, each of which is one request to a provider */
                calls: number;
                /** @example 0.0056 */
                usd: number;
            }[];
            /** @description Without `run_id`: calls for no run */
            by_run: {
                run_id?: string;
                /** @description Attempts, each of which is one request to a provider */
                calls: number;
                /** @example 0.0056 */
                usd: number;
            }[];
            by_person: {
                /** @example usr_local */
                person: string;
                name?: string;
                /** @description The API key that they called with */
                key_id?: string;
                key_name?: string;
                /** @description Attempts, each of which is one request to a provider */
                calls: number;
                /** @example 0.0056 */
                usd: number;
            }[];
            /** @description UTC days, oldest first */
            by_day: {
                /** Format: date */
                day: string;
                /** @description Attempts, each of which is one request to a provider */
                calls: number;
                /** @example 0.0056 */
                usd: number;
            }[];
            /** @description Calls that are under way at this moment */
            open: {
                calls: number;
                /** @example 0.0056 */
                reserved_usd: number;
                /** Format: date-time */
                oldest_at?: string;
            };
            /** @description Calls that were refused before a provider was called, by the audit log */
            refusals: {
                /** @example BudgetExceeded */
                code: string;
                count: number;
            }[];
        };
        /** @description Models that are known, with prices as they were on one day */
        ModelCatalog: {
            /**
             * Format: date
             * @description When the prices were read
             */
            read_at: string;
            source: string;
            note: string;
            models: {
                /** @example gpt-4o-mini */
                id: string;
                /** @enum {string} */
                provider: "openai_compatible" | "openai" | "anthropic" | "google";
                prices: components["schemas"]["ModelPrices"];
                limits: components["schemas"]["ModelLimits"];
                /** @description Long prompts cost more; the prices are the highest */
                tiered: boolean;
                /** @description A model of `models.yaml` is this one */
                bound: boolean;
                /** @description What adds it */
                command: string;
            }[];
        };
        /** @description The bindings of model roles, and their layers */
        ModelRoles: {
            /** @description What counts; a profile may say otherwise for its runs */
            roles: {
                default?: {
                    model: string;
                    fallback?: string;
                    /**
                     * @description Where it is said
                     * @enum {string}
                     */
                    layer: "file" | "console";
                    /** @description Why nothing answers in this role */
                    problem?: string;
                };
                small?: {
                    model: string;
                    fallback?: string;
                    /**
                     * @description Where it is said
                     * @enum {string}
                     */
                    layer: "file" | "console";
                    /** @description Why nothing answers in this role */
                    problem?: string;
                };
                judge?: {
                    model: string;
                    fallback?: string;
                    /**
                     * @description Where it is said
                     * @enum {string}
                     */
                    layer: "file" | "console";
                    /** @description Why nothing answers in this role */
                    problem?: string;
                };
                embed?: {
                    model: string;
                    fallback?: string;
                    /**
                     * @description Where it is said
                     * @enum {string}
                     */
                    layer: "file" | "console";
                    /** @description Why nothing answers in this role */
                    problem?: string;
                };
            };
            /** @description What the console says */
            said: {
                default?: {
                    model: string;
                    fallback?: string;
                };
                small?: {
                    model: string;
                    fallback?: string;
                };
                judge?: {
                    model: string;
                    fallback?: string;
                };
                embed?: {
                    model: string;
                    fallback?: string;
                };
            };
            /**
             * @description Who wrote this text
             * @example usr_01jd4c2v7m8k9h3r5t6w1x0y2z
             */
            author?: string;
            /** Format: date-time */
            updated_at?: string;
            etag: string;
        };
        ModelRolesEdit: {
            /**
             * @example {
             *       "default": {
             *         "model": "gpt-4o-mini",
             *         "fallback": "echo"
             *       },
             *       "small": "echo"
             *     }
             */
            roles: {
                default?: string | {
                    model: string;
                    fallback?: string;
                };
                small?: string | {
                    model: string;
                    fallback?: string;
                };
                judge?: string | {
                    model: string;
                    fallback?: string;
                };
                embed?: string | {
                    model: string;
                    fallback?: string;
                };
            };
        };
        /** @description A tenant: runs, their records and their limits belong to one. */
        Workspace: {
            /**
             * @description Identifier of a workspace
             * @example ws_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            /**
             * @description Short name, unique and never changed
             * @example payments
             */
            slug: string;
            name: string;
            /** @enum {string} */
            status: "active" | "archived";
            /** @description While true, only an owner who repeats the slug can archive it */
            protected: boolean;
            default_environment: string;
            limits: components["schemas"]["WorkspaceLimits"];
            /**
             * @description For `If-Match`
             * @example "3"
             */
            etag: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            archived_at?: string;
        };
        /** @description What the workspace may take; an absent limit does not apply. */
        WorkspaceLimits: {
            /** @description Operations that run at once in this lane, beneath its own limit */
            realtime?: number;
            /** @description Operations that run at once in this lane, beneath its own limit */
            background?: number;
            /**
             * @description US dollars over all environments, per UTC day
             * @example 25
             */
            daily_usd?: number;
        };
        WorkspaceDraft: {
            /**
             * @description Short name, unique and never changed
             * @example payments
             */
            slug: string;
            /** @example Payments */
            name: string;
            /**
             * @description Environment of runs that name none
             * @example staging
             */
            default_environment?: string;
            limits?: components["schemas"]["WorkspaceLimits"];
        };
        /** @description What changes; what is absent stays. */
        WorkspaceEdit: {
            /** @example Payments */
            name?: string;
            /** @enum {string} */
            status?: "active" | "archived";
            protected?: boolean;
            /** @description Replaces all limits */
            limits?: {
                /** @description Operations that run at once in this lane, beneath its own limit */
                realtime?: number;
                /** @description Operations that run at once in this lane, beneath its own limit */
                background?: number;
                /**
                 * @description US dollars over all environments, per UTC day
                 * @example 25
                 */
                daily_usd?: number;
            };
            /**
             * @description Environment of runs that name none
             * @example staging
             */
            default_environment?: string;
        };
        /** @description A channel of `channels.yaml`, without its secrets */
        ChannelRecord: {
            /** @example ops-hook */
            name: string;
            /** @example webhook */
            kind: string;
            /** @description Everybody whom it reaches */
            recipients: string[];
            /** @description Why it sends nothing and accepts no answer */
            problem?: string;
        };
        /** @description What each recipient answered to a message that says that it is a test */
        ChannelTest: {
            sent: {
                ok: boolean;
                /** @example oncall@example.test took a test message */
                detail: string;
            }[];
        };
        /** @description A setting of the process that answers, as `svc config` prints it */
        SettingRecord: {
            /** @example SVC_PORT */
            name: string;
            /**
             * @description Null when it is unset; secrets are hidden
             * @example 9090
             */
            value: string | null;
            default: string | null;
            /** @enum {string} */
            source: "env" | "default";
            takes: string;
            meaning: string;
        };
        /**
         * @description An attempt of a step that an external Temporal worker does.
         * @example {
         *       "id": "job_01hzy3v9k5m8q2w4x6z8b0d2f6",
         *       "run_id": "run_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *       "step_id": "train",
         *       "attempt": 1,
         *       "environment": "production",
         *       "queue": "ml",
         *       "task_queue": "ml-gpu",
         *       "activity": "trainModel",
         *       "plan_hash": "sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd",
         *       "input_digest": "sha256:eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
         *       "attest": null,
         *       "idempotent": false,
         *       "state": "running",
         *       "created_at": "2026-01-05T09:30:00.000Z",
         *       "started_at": "2026-01-05T09:30:00.000Z",
         *       "deadline": "2026-01-05T11:32:00.000Z",
         *       "cancel_requested_at": null,
         *       "ended_at": null,
         *       "result_digest": null,
         *       "failure": null,
         *       "identity": null
         *     }
         */
        RemoteJob: {
            /**
             * @description Identifier of a remote job
             * @example job_01hzy3v9k5m8q2w4x6z8b0d2f6
             */
            id: string;
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            step_id: string;
            attempt: number;
            environment: string;
            /** @description As the step names it */
            queue: string;
            /** @description What the environment bound it to when the attempt was opened */
            task_queue: string;
            activity: string;
            plan_hash: string;
            input_digest: string;
            /** @description Public key by which its result has to be signed; null where results are believed as they come */
            attest: string | null;
            /** @description The activity may be repeated */
            idempotent: boolean;
            /**
             * @description `created`: on record, not dispatched yet; `unknown`: it may have acted, and nobody can say how it ended; `not_dispatched`: taken back before that
             * @enum {string}
             */
            state: "created" | "running" | "returned" | "failed" | "unknown" | "cancelled" | "not_dispatched";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was dispatched to Temporal
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description Until when its run waits for it
             */
            deadline: string;
            /** Format: date-time */
            cancel_requested_at: string | null;
            /** Format: date-time */
            ended_at: string | null;
            /** @description Of the result, which is an output of its step */
            result_digest: string | null;
            /** @description Why it failed. `type` and `message` may be what its worker said */
            failure: {
                code: string;
                message: string;
                type?: string;
            } | null;
            /** @description The worker that took it last, as it calls itself */
            identity: string | null;
        };
        /** @description A remote job, and what Temporal says of its activity now. What its worker says is not checked. */
        RemoteJobDetail: {
            /**
             * @description Identifier of a remote job
             * @example job_01hzy3v9k5m8q2w4x6z8b0d2f6
             */
            id: string;
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            step_id: string;
            attempt: number;
            environment: string;
            /** @description As the step names it */
            queue: string;
            /** @description What the environment bound it to when the attempt was opened */
            task_queue: string;
            activity: string;
            plan_hash: string;
            input_digest: string;
            /** @description Public key by which its result has to be signed; null where results are believed as they come */
            attest: string | null;
            /** @description The activity may be repeated */
            idempotent: boolean;
            /**
             * @description `created`: on record, not dispatched yet; `unknown`: it may have acted, and nobody can say how it ended; `not_dispatched`: taken back before that
             * @enum {string}
             */
            state: "created" | "running" | "returned" | "failed" | "unknown" | "cancelled" | "not_dispatched";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was dispatched to Temporal
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description Until when its run waits for it
             */
            deadline: string;
            /** Format: date-time */
            cancel_requested_at: string | null;
            /** Format: date-time */
            ended_at: string | null;
            /** @description Of the result, which is an output of its step */
            result_digest: string | null;
            /** @description Why it failed. `type` and `message` may be what its worker said */
            failure: {
                code: string;
                message: string;
                type?: string;
            } | null;
            /** @description The worker that took it last, as it calls itself */
            identity: string | null;
            /** @description What Temporal says of the activity while it is open; null once it has ended, or where Temporal does not answer */
            pending: {
                /** @enum {string} */
                state: "scheduled" | "started" | "cancel_requested" | "paused" | "other";
                attempt: number;
                /** Format: date-time */
                scheduled_at: string | null;
                /** Format: date-time */
                started_at: string | null;
                /** Format: date-time */
                heartbeat_at: string | null;
                /** @description What the last heartbeat says, cut to 2,000 characters */
                heartbeat: string | null;
                worker: string | null;
                last_failure: string | null;
            } | null;
        };
        /**
         * @description A halt: nothing that its scope covers begins until it is lifted.
         * @example {
         *       "id": "halt_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *       "scope": {
         *         "environment": "production"
         *       },
         *       "reason": "The database is being restored",
         *       "by": {
         *         "type": "user",
         *         "id": "usr_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *         "display": "Ann"
         *       },
         *       "created_at": "2026-01-05T09:30:00.000Z",
         *       "held": {
         *         "runs": 12
         *       },
         *       "refused": {
         *         "starts": 3
         *       },
         *       "may_lift": [
         *         "Ada"
         *       ]
         *     }
         */
        Halt: {
            /** @example halt_01hzy3v9k5m8q2w4x6z8b0d2f4 */
            id: string;
            scope: components["schemas"]["HaltScope"];
            reason: string;
            by: {
                type: string;
                id: string;
                display: string;
            };
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            held: {
                /** @description Active runs that the scope covers, also those that wait for an approval */
                runs: number;
            };
            refused: {
                /** @description Starts that it has refused, in your workspaces; dry runs are not counted */
                starts: number;
            };
            /**
             * Format: date-time
             * @description Absent while it is in force
             * @example 2026-01-05T09:30:00.000Z
             */
            lifted_at?: string;
            /**
             * @description Admins and owners who may lift it, up to ten, those of the workspace first: by name, or by mail address for those who may see addresses. Where nobody can be named to the caller, `an owner or admin of all workspaces` or `an admin of the workspace`. Empty only where there are no admins
             * @example [
             *       "Ada"
             *     ]
             */
            may_lift: string[];
        };
        /**
         * @description What is to stop, and why.
         * @example {
         *       "scope": {
         *         "environment": "production"
         *       },
         *       "reason": "The database is being restored"
         *     }
         */
        HaltDraft: {
            scope?: components["schemas"]["HaltScope"];
            /**
             * @description Shown to everybody whom the halt stops
             * @example The database is being restored
             */
            reason: string;
        };
        /** @description A start that a halt has refused, and how to start it afterwards. */
        RefusedStart: {
            /**
             * @description What a halt has refused: it starts once, no matter who asks and how often, and everyone who shaped it shapes the run
             * @example hrf_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            workspace_id: string;
            /**
             * @description What asked for it
             * @enum {string}
             */
            trigger: "alert" | "pattern" | "manual" | "schedule" | "ingress" | "pipeline" | "bus" | "direct" | "ask" | "replay" | "again" | "retry";
            /**
             * @description What it is about: the title of an alert, the name of a schedule, the reason of a request
             * @example checkout answers 503
             */
            title: string;
            /** @example incident/service-recovery */
            template: string;
            environment: string;
            /** @example alertmanager */
            requested_by: string;
            /**
             * @description How often; repetitions are counted in one entry
             * @example 3
             */
            refused: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            first_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            last_at: string;
            /**
             * @description Absent if its inputs hold secrets or are larger than 64 kB: then it has to be started by hand
             * @example {
             *       "operation": "runTemplate",
             *       "method": "POST",
             *       "path": "/packs/incident/service-recovery/run",
             *       "body": {
             *         "inputs": {
             *           "url": "http://127.0.0.1:8080"
             *         },
             *         "environment": "development",
             *         "refusal": "hrf_01hzy3v9k5m8q2w4x6z8b0d2f4"
             *       }
             *     }
             */
            start?: {
                /** @enum {string} */
                operation: "runTemplate" | "receiveAlerts" | "replayInbox" | "startAgain" | "retryRun";
                /** @enum {string} */
                method: "POST";
                /** @example /triggers/alert?source=generic */
                path: string;
                body: {
                    [key: string]: unknown;
                };
            };
            /** @description The run that was started for it since, if known */
            run_id?: string;
        };
        /**
         * @description A kind of work that steps are made of.
         * @example {
         *       "id": "core.wait",
         *       "version": 1,
         *       "title": "Wait",
         *       "risk": "low",
         *       "action_type": "read",
         *       "capabilities": [],
         *       "requires_approval": false,
         *       "input_schema": {
         *         "type": "object",
         *         "required": [
         *           "for"
         *         ],
         *         "properties": {
         *           "for": {
         *             "type": "string"
         *           }
         *         }
         *       },
         *       "simulates": false
         *     }
         */
        Operator: {
            id: string;
            version: number;
            title: string;
            /** @enum {string} */
            risk: "low" | "medium" | "high";
            /** @description `read` acts on nothing; an input may make it another one */
            action_type: string;
            capabilities: string[];
            /** @description It turns the gate on wherever it is used */
            requires_approval: boolean;
            /** @description JSON Schema (2020-12) of a step’s `with` */
            input_schema: {
                [key: string]: unknown;
            };
            /** @description It can tell what it would do. Otherwise a required dry run asks a person */
            simulates: boolean;
        };
        /**
         * @description Where the chain of all workspaces ends, by the database, and what the running check found. Not signed.
         * @example {
         *       "seq": 1205,
         *       "hash": "6d2b79f56d2b79f56d2b79f56d2b79f56d2b79f56d2b79f56d2b79f56d2b79f5",
         *       "ts": "2026-01-05T09:30:00.000Z"
         *     }
         */
        AuditCheckpoint: {
            /** @description Number of the last record; 0 while there is none */
            seq: number;
            /** @description Its hash. Keep both elsewhere: a log that was cut or rewritten no longer has them */
            hash: string;
            /**
             * Format: date-time
             * @description When the last record was made; absent while there is none
             */
            ts?: string;
            /** @description The last whole pass over the file: up to which record, and when. Absent until there was one */
            checked?: {
                seq: number;
                /** Format: date-time */
                at: string;
            };
            /** @description The log is not what the database says, and nothing acts; absent while it is sound */
            problem?: {
                seq: number;
                detail: string;
            };
        };
        /**
         * @description A policy of one layer, and its effect.
         * @example {
         *       "name": "guard",
         *       "layer": "overlay",
         *       "source": "guard.yaml",
         *       "broken": false,
         *       "applies_to": {
         *         "environments": [
         *           "production"
         *         ],
         *         "risks": [],
         *         "action_types": [],
         *         "capabilities": []
         *       },
         *       "rules": [
         *         {
         *           "effect": "require_hitl",
         *           "reason": "people decide in production",
         *           "channels": []
         *         }
         *       ],
         *       "problems": [],
         *       "attached": true,
         *       "in_force_in": [
         *         "production"
         *       ],
         *       "overridden_by": []
         *     }
         */
        PolicyListed: {
            name: string;
            /** @enum {string} */
            layer: "pack" | "overlay" | "console";
            /** @description Where people find it */
            source: string;
            pack?: string;
            /** @description Who wrote it in the console */
            author?: string;
            /** @description It cannot be trusted: steps inside its scope need approval */
            broken: boolean;
            /** @description An empty list filters nothing */
            applies_to: {
                environments: string[];
                risks: ("low" | "medium" | "high")[];
                action_types: string[];
                capabilities: string[];
            };
            rules: {
                /** @enum {string} */
                effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                reason: string;
                channels: string[];
                approval_role?: string;
                /** @enum {string} */
                require_note?: "always" | "reject";
                /** @enum {boolean} */
                prevent_self?: true;
                min_approvals?: number;
            }[];
            problems: {
                message: string;
                path: (string | number)[];
                line?: number;
                column?: number;
            }[];
            /** @description False where it is of the console and no environment attaches it */
            attached: boolean;
            /** @description Environments in which it counts */
            in_force_in: string[];
            overridden_by: {
                /** @enum {string} */
                layer: "pack" | "overlay" | "console";
                source: string;
                environments: string[];
                loosens: boolean;
            }[];
        };
        /**
         * @description A step that a policy touches, as far as that is known before its input is rendered.
         * @example {
         *       "template": "sre/service-recovery",
         *       "environment": "production",
         *       "step": "act",
         *       "operator": "http.request",
         *       "action_type": "service.restart",
         *       "effects": [
         *         "require_hitl"
         *       ],
         *       "outcome": "gate",
         *       "because": [
         *         "the overlay policy guard requires a person"
         *       ]
         *     }
         */
        PolicyTouch: {
            /** @description `pack/template` */
            template: string;
            environment: string;
            step: string;
            operator: string;
            action_type: string;
            /** @description What this policy asks for there */
            effects: ("deny" | "require_hitl" | "require_dry_run" | "allow_auto")[];
            /**
             * @description The outcome of the step, by all policies in force
             * @enum {string}
             */
            outcome: "auto" | "dry_run" | "gate" | "deny";
            because: string[];
        };
        /** @description A bundle as it is on disk now. */
        PipelineBundle: {
            path: string;
            digest?: string;
            pipelines: {
                name: string;
                title: string;
                description?: string;
                inputs_schema: {
                    [key: string]: unknown;
                };
                steps: {
                    id: string;
                    title: string;
                    kind: string;
                    needs: string[];
                    uses?: string;
                }[];
            }[];
            /** @description Why it cannot be started, with file, line and column */
            faults: string[];
        };
        /** @description A pipeline that is on record. */
        PipelineStarted: {
            /**
             * @description Identifier of a pipeline
             * @example pl_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            pipeline_id: string;
        };
        /**
         * @description What a pipeline is started with.
         * @example {
         *       "bundle_path": "data/dataset-release",
         *       "inputs": {
         *         "version": "sales_2026_11"
         *       },
         *       "environment": "development"
         *     }
         */
        PipelineRequest: {
            /**
             * @description A bundle below `SVC_PIPELINES_DIR`, or `<pack>/<bundle>` of a pack
             * @example data/dataset-release
             */
            bundle_path: string;
            /** @description May be omitted if the bundle has exactly one */
            pipeline_name?: string;
            /**
             * @description Checked against the input schema of the pipeline
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Default: the workspace’s default environment */
            environment?: string;
            profile?: string;
            reason?: string;
            /** @description The digest of the bundle that was shown: if it has changed, the answer is 409 `plan_changed` */
            bundle_digest?: string;
        };
        /** @description A pipeline with all of its steps. */
        Pipeline: {
            /**
             * @description Identifier of a pipeline
             * @example pl_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            workspace_id: string;
            /** @example dataset-release */
            name: string;
            title: string;
            bundle: components["schemas"]["PipelineStartedFrom"];
            environment: string;
            /** @enum {string} */
            environment_class: "production" | "staging" | "development" | "sandbox";
            profile: string;
            status: components["schemas"]["PipelineStatus"];
            /**
             * @description What a pipeline that is ending still does
             * @enum {string}
             */
            status_reason?: "cancelling" | "compensating" | "closing";
            steps: components["schemas"]["PipelineStep"][];
            inputs: {
                [key: string]: unknown;
            };
            outputs?: {
                [key: string]: unknown;
            };
            error?: components["schemas"]["PipelineError"];
            /** @description Compensations that did not succeed. The effects of those steps remain, and need an operator */
            not_taken_back?: components["schemas"]["NotTakenBack"][];
            reason?: string;
            /**
             * @description The cost of all its runs
             * @example 0.0125
             */
            total_usd: number;
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            reserved_usd: number;
            /**
             * @description The most that all its runs together may cost
             * @example 0.0125
             */
            cap_usd: number;
            provenance: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            started_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            ended_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            updated_at: string;
            links: {
                [key: string]: string;
            };
        };
        PipelineStartedFrom: {
            /** @example data/dataset-release */
            path: string;
            /** @description The digest of its files at the start */
            digest: string;
        };
        /**
         * @description The status of a pipeline. `blocked`: it waits for nothing but people. The last four are terminal.
         * @example running
         * @enum {string}
         */
        PipelineStatus: "queued" | "running" | "blocked" | "succeeded" | "failed" | "rejected" | "cancelled";
        /** @description A step of a pipeline as it is now. */
        PipelineStep: {
            id: string;
            title: string;
            /** @enum {string} */
            kind: "run" | "timer" | "event";
            needs: string[];
            /**
             * @description The template that it runs
             * @example data/dataset-profile
             */
            uses?: string;
            /** @enum {string} */
            gate?: "none" | "manual" | "approval";
            /** @enum {string} */
            on_failure: "fail" | "continue" | "compensate";
            /** @enum {string} */
            state: "pending" | "waiting_timer" | "waiting_event" | "ready" | "awaiting_approval" | "running" | "succeeded" | "failed" | "skipped" | "rejected" | "cancelled" | "expired";
            /** @description What delays it (`halted`, `frozen`, …), or why it was skipped */
            reason?: string;
            /**
             * @description Its run, if it has exactly one and that was not `refused`
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id?: string;
            /** @description The gate that is waiting for an answer, if there is exactly one */
            gate_id?: string;
            runs: components["schemas"]["PipelineRun"][];
            /**
             * Format: date-time
             * @description When its timer fires
             * @example 2026-01-05T09:30:00.000Z
             */
            fire_at?: string;
            /** @description The topic on which it waits for an event */
            topic?: string;
            /** @description The condition that the event has to fulfil, as the bundle writes it */
            matches?: string;
            /**
             * Format: date-time
             * @description When it times out; the time is paused while it waits for approval
             * @example 2026-01-05T09:30:00.000Z
             */
            deadline_at?: string;
            /** @description Who advanced it, when, and with which note */
            advanced?: {
                [key: string]: unknown;
            };
            outputs?: {
                [key: string]: unknown;
            };
            error?: components["schemas"]["PipelineError"];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            started_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            ended_at?: string;
        };
        /** @description A run that a step has started. */
        PipelineRun: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /** @description Which entry of the list it is for; 0 in other steps */
            index: number;
            /** @enum {string} */
            role: "run" | "compensation";
            /**
             * @description `starting`: not on record yet; `refused`: it never began, so there is no such run, and `error` says why; otherwise the status of the run
             * @enum {string}
             */
            status: "starting" | "refused" | "queued" | "running" | "awaiting_approval" | "cancelling" | "succeeded" | "failed" | "rejected" | "cancelled" | "expired";
            /** @description The gate at which it is waiting */
            gate_id?: string;
            error?: components["schemas"]["PipelineError"];
            /**
             * @description US dollars with at most six decimals
             * @example 0.0125
             */
            total_usd: number;
        };
        /** @description Why a step or a pipeline did not succeed. */
        PipelineError: {
            /** @example timeout */
            code: string;
            message: string;
            step?: string;
            run_id?: string;
        };
        /** @description A compensation that did not succeed: the run of it, and whose step it was to take back. */
        NotTakenBack: {
            /**
             * @description Identifier of a run
             * @example run_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            run_id: string;
            /** @description Which entry of the list it is for; 0 in other steps */
            index: number;
            /**
             * @description `starting`: not on record yet; `refused`: it never began, so there is no such run, and `error` says why; otherwise the status of the run
             * @enum {string}
             */
            status: "starting" | "refused" | "queued" | "running" | "awaiting_approval" | "cancelling" | "succeeded" | "failed" | "rejected" | "cancelled" | "expired";
            error?: components["schemas"]["PipelineError"];
            step: string;
        };
        /** @description Every value that a pipeline is composed of, with where it comes from. */
        PipelineConfig: {
            /**
             * @description Identifier of a pipeline
             * @example pl_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            pipeline_id: string;
            /** @description Environment, profile, cap and bundle */
            settings: {
                name: string;
                /** @description The value that was or would be given; absent while it is not known */
                value?: unknown;
                /** @description The expression in the bundle, if it is one */
                written?: unknown;
                /**
                 * @description Where it comes from: the start (`request`), the bundle, the `with` of the step, the person who advanced it (`advance`), the config preset or the values (`workflow`) that the workspace keeps for the template, the defaults of the template, the profile, the environment, the workspace, or a `default` of the service. `changed`: a preset or values that have changed since; `unset`: nothing sets it
                 * @enum {string}
                 */
                layer: "request" | "bundle" | "step" | "advance" | "config_preset" | "workflow" | "changed" | "template" | "profile" | "environment" | "workspace" | "default" | "unset";
            }[];
            inputs: {
                name: string;
                /** @description The value that was or would be given; absent while it is not known */
                value?: unknown;
                /** @description The expression in the bundle, if it is one */
                written?: unknown;
                /**
                 * @description Where it comes from: the start (`request`), the bundle, the `with` of the step, the person who advanced it (`advance`), the config preset or the values (`workflow`) that the workspace keeps for the template, the defaults of the template, the profile, the environment, the workspace, or a `default` of the service. `changed`: a preset or values that have changed since; `unset`: nothing sets it
                 * @enum {string}
                 */
                layer: "request" | "bundle" | "step" | "advance" | "config_preset" | "workflow" | "changed" | "template" | "profile" | "environment" | "workspace" | "default" | "unset";
            }[];
            steps: {
                id: string;
                template?: {
                    name: string;
                    digest: string;
                    /** @description It has changed since the start */
                    changed: boolean;
                };
                /** @description Of a `for_each`: the entry that `inputs` are of. There are none where the list has no such entry */
                entry?: {
                    index: number;
                    /** @description How many entries the list has, once that is known */
                    count?: number;
                };
                settings: {
                    name: string;
                    /** @description The value that was or would be given; absent while it is not known */
                    value?: unknown;
                    /** @description The expression in the bundle, if it is one */
                    written?: unknown;
                    /**
                     * @description Where it comes from: the start (`request`), the bundle, the `with` of the step, the person who advanced it (`advance`), the config preset or the values (`workflow`) that the workspace keeps for the template, the defaults of the template, the profile, the environment, the workspace, or a `default` of the service. `changed`: a preset or values that have changed since; `unset`: nothing sets it
                     * @enum {string}
                     */
                    layer: "request" | "bundle" | "step" | "advance" | "config_preset" | "workflow" | "changed" | "template" | "profile" | "environment" | "workspace" | "default" | "unset";
                }[];
                inputs: {
                    name: string;
                    /** @description The value that was or would be given; absent while it is not known */
                    value?: unknown;
                    /** @description The expression in the bundle, if it is one */
                    written?: unknown;
                    /**
                     * @description Where it comes from: the start (`request`), the bundle, the `with` of the step, the person who advanced it (`advance`), the config preset or the values (`workflow`) that the workspace keeps for the template, the defaults of the template, the profile, the environment, the workspace, or a `default` of the service. `changed`: a preset or values that have changed since; `unset`: nothing sets it
                     * @enum {string}
                     */
                    layer: "request" | "bundle" | "step" | "advance" | "config_preset" | "workflow" | "changed" | "template" | "profile" | "environment" | "workspace" | "default" | "unset";
                }[];
            }[];
        };
        /** @description A page of the event log of a pipeline. */
        PipelineEventSnapshot: {
            /**
             * @description Identifier of a pipeline
             * @example pl_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            pipeline_id: string;
            events: components["schemas"]["PipelineEvent"][];
            last_seq: number;
            terminal: boolean;
            has_more: boolean;
        };
        /** @description Something that happened in a pipeline. */
        PipelineEvent: {
            /** @description Position in the pipeline, from 1 without gaps */
            seq: number;
            /** @example pl_01hzy3v9k5m8q2w4x6z8b0d2f4.3 */
            id: string;
            /**
             * @description Identifier of a pipeline
             * @example pl_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            pipeline_id: string;
            /**
             * @description `pipeline.<status>`, `step.<state>`, `step.advanced`, `run.started`, `run.moved`, `run.refused`; more may come
             * @example step.waiting_timer
             */
            type: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            ts: string;
            step?: string;
            actor?: unknown;
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * @description Why a step is advanced.
         * @example {
         *       "note": "The data is there"
         *     }
         */
        StepAdvanceRequest: {
            note?: string;
            /** @description These replace inputs that the step would give its runs */
            inputs?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description An answer to the gate of a step. An empty body approves the first gate of its only run.
         * @example {
         *       "decision": "reject",
         *       "note": "Not before the freeze is over"
         *     }
         */
        StepDecisionRequest: {
            /**
             * @description `approved` and `rejected` are accepted too
             * @default approve
             * @example approve
             * @enum {string}
             */
            decision?: "approve" | "reject";
            note?: string;
            /** @description The gate that is answered. It may be omitted for the first gate of a step with one run; otherwise the answer is 409 `conflict` and lists the open gates */
            gate_id?: string;
            /** @description The plan that was shown: if it has changed, the answer is 409 */
            plan_hash?: string;
            approver?: string;
        };
        /**
         * @description Why a pipeline is cancelled.
         * @example {
         *       "reason": "Superseded"
         *     }
         */
        PipelineCancellation: {
            reason?: string;
        };
        /** @description What the policies in force say. Nothing was started and nothing is on record. */
        PolicyAnswer: {
            environment: string;
            verdict: {
                /** @enum {string} */
                effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                matched: {
                    name: string;
                    /** @enum {string} */
                    layer: "pack" | "overlay" | "console";
                    /** @enum {string} */
                    effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                    reason: string;
                }[];
                dry_run: boolean;
                approval_roles: string[][];
                channels: string[];
                /** @enum {string} */
                require_note?: "always" | "reject";
                /** @enum {boolean} */
                prevent_self?: true;
                min_approvals?: number;
                broken_policies: string[];
                snapshot_hash: string;
                overrides?: {
                    name: string;
                    /** @enum {string} */
                    layer: "pack" | "overlay" | "console";
                    source: string;
                    author?: string;
                    replaces: {
                        /** @enum {string} */
                        layer: "pack" | "overlay" | "console";
                        source: string;
                    }[];
                    loosens: boolean;
                }[];
            };
            /** @description Why no run would begin; empty when one would */
            denied?: string[];
            /** @description Only of a template */
            steps?: {
                step: string;
                operator: string;
                action_type: string;
                /** @enum {string} */
                outcome: "auto" | "dry_run" | "gate" | "deny";
                because: string[];
                approval_roles: string[][];
                matched: {
                    name: string;
                    /** @enum {string} */
                    layer: "pack" | "overlay" | "console";
                    /** @enum {string} */
                    effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                    reason: string;
                }[];
            }[];
        };
        /**
         * @description A question to the policies in force.
         * @example {
         *       "environment": "production",
         *       "subject": {
         *         "risk": "high",
         *         "action_types": [
         *           "service.restart"
         *         ]
         *       }
         *     }
         */
        PolicyQuestion: {
            /** @description One that the workspace may use */
            environment: string;
            /** @description What would be done. Either this or `template` */
            subject?: {
                /** @enum {string} */
                risk: "low" | "medium" | "high";
                /** @default [] */
                action_types?: string[];
                /** @default [] */
                capabilities?: string[];
            };
            /** @description `pack/template`: each of its steps, and the whole */
            template?: string;
            /** @description Of the template; they have to fit it */
            inputs?: {
                [key: string]: unknown;
            };
            profile?: string;
        };
        /** @description The effect of a policy on the runs of the last 30 days. Nothing was saved. */
        PolicyRehearsal: {
            /** @description It could be saved */
            sound: boolean;
            name?: string;
            problems: components["schemas"]["AuthoredProblem"][];
            /** @description Something may be laxer once it is saved, and attached to these environments and no others */
            loosens: boolean;
            /** @description Environments that are taken as attaching it */
            attach: string[];
            /**
             * Format: date-time
             * @description The oldest time of a run that is looked at
             */
            since: string;
            runs: {
                judged: number;
                /** @description With a step that would be judged differently */
                changed: number;
                /** @description With a step that would have fewer demands */
                looser: number;
                /** @description There are more runs than were looked at; the newest were */
                cut: boolean;
            };
            /** @description The looser ones first, then by how many runs they touch */
            changes: components["schemas"]["RehearsedChange"][];
        };
        AuthoredProblem: {
            line?: number;
            column?: number;
            message: string;
            /** @description It may be meant as it is; everything else is an error */
            warning?: boolean;
        };
        /** @description A step of recorded runs that the draft would judge differently. */
        RehearsedChange: {
            /** @description `pack/template`, as it was when the runs began */
            template: string;
            environment: string;
            profile: string;
            step: string;
            operator: string;
            action_type: string;
            /** @description By the policies in force */
            before: {
                /** @enum {string} */
                outcome: "auto" | "dry_run" | "gate" | "deny";
                /** @description All of these clauses, any role of each */
                approval_roles: string[][];
                dry_run: boolean;
                /** @enum {string} */
                require_note?: "always" | "reject";
                /** @enum {boolean} */
                prevent_self?: true;
                min_approvals?: number;
            };
            /** @description With the draft */
            after: {
                /** @enum {string} */
                outcome: "auto" | "dry_run" | "gate" | "deny";
                /** @description All of these clauses, any role of each */
                approval_roles: string[][];
                dry_run: boolean;
                /** @enum {string} */
                require_note?: "always" | "reject";
                /** @enum {boolean} */
                prevent_self?: true;
                min_approvals?: number;
            };
            /** @description It would drop a demand */
            looser: boolean;
            /** @description What leads to the new outcome */
            because: string[];
            /** @description Recorded runs that hold the step */
            runs: number;
            newest_run_id: string;
        };
        /**
         * @description A policy before it is saved.
         * @example {
         *       "document": "name: night-guard\nrules: [{ effect: require_hitl, reason: Nobody restarts at night alone. }]\n",
         *       "attach": [
         *         "production"
         *       ]
         *     }
         */
        PolicyDraft: {
            /** @description YAML of one policy, as it would be saved */
            document: string;
            /**
             * @description The policy of the console that it would replace
             * @example night-guard
             */
            name?: string;
            /** @description Environments that would attach it; default: those that do now */
            attach?: string[];
        };
        /** @description What every start of a template in the workspace begins with: inputs that the start does not name. */
        WorkflowConfig: {
            /** @example sre */
            pack: string;
            /** @example service-recovery */
            template: string;
            /** @description JSON Schema of what can be set; none of it is required */
            surface: {
                [key: string]: unknown;
            };
            /** @description JSON Pointers into `values` that are refused: what governs runs, and secrets */
            protected: string[];
            /**
             * @example {
             *       "inputs": {
             *         "action": "restart"
             *       }
             *     }
             */
            values: {
                inputs: {
                    [key: string]: unknown;
                };
            };
            /** @description Counts the changes of its values; 0: none were ever set */
            version: number;
            /** @description Of the values; runs that began with them have it on record */
            digest: string;
            /** @description Values that no longer fit the template: starts with it are refused. Values that have become secret are named and not shown */
            problems: {
                pointer: string;
                msg: string;
            }[];
            /** @description For `If-Match` */
            etag: string;
            author?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            updated_at?: string;
        };
        /**
         * @description The values that take the place of what was set.
         * @example {
         *       "values": {
         *         "inputs": {
         *           "action": "restart"
         *         }
         *       }
         *     }
         */
        WorkflowConfigEdit: {
            /**
             * @description `inputs`: some of the template’s inputs, by name. Secrets, and what governs runs, are refused with 403 `governance_knob`. At most 64 KiB
             * @example {
             *       "inputs": {
             *         "action": "restart"
             *       }
             *     }
             */
            values: {
                [key: string]: unknown;
            };
        };
        /** @description Inputs of a template that are kept under a name. */
        Preset: {
            /**
             * @description Identifier of a preset
             * @example pre_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            /**
             * @description Identifier of a workspace
             * @example ws_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            workspace_id: string;
            /**
             * @description `config`: a start names it and the server fills it in. `input`: a form loads it; starts know nothing of it
             * @enum {string}
             */
            kind: "config" | "input";
            /** @example sre */
            pack: string;
            /** @example service-recovery */
            template: string;
            name: string;
            /** @description Taken where none is named: by starts (`config`), by the form (`input`) */
            is_default: boolean;
            /**
             * @example {
             *       "inputs": {
             *         "action": "restart"
             *       }
             *     }
             */
            values: {
                inputs: {
                    [key: string]: unknown;
                };
            };
            /** @description Counts the changes of its values; 0: none were ever set */
            version: number;
            /** @description Of the values; runs that began with them have it on record */
            digest: string;
            /** @description Values that no longer fit the template: starts with it are refused. Values that have become secret are named and not shown */
            problems: {
                pointer: string;
                msg: string;
            }[];
            /** @description For `If-Match` */
            etag: string;
            /** @description Who changed it last */
            author: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            updated_at: string;
        };
        /**
         * @description A preset as it is made.
         * @example {
         *       "pack": "sre",
         *       "template": "service-recovery",
         *       "name": "careful",
         *       "values": {
         *         "inputs": {
         *           "action": "restart"
         *         }
         *       }
         *     }
         */
        PresetDraft: {
            /** @example sre */
            pack: string;
            /** @example service-recovery */
            template: string;
            /**
             * @description Unique among those of its kind and template
             * @example careful
             */
            name: string;
            /**
             * @description `inputs`: some of the template’s inputs, by name. Secrets, and what governs runs, are refused with 403 `governance_knob`. At most 64 KiB
             * @example {
             *       "inputs": {
             *         "action": "restart"
             *       }
             *     }
             */
            values: {
                [key: string]: unknown;
            };
        };
        /**
         * @description What changes: the name, the values, or that it is the default.
         * @example {
         *       "name": "careful"
         *     }
         */
        PresetEdit: {
            /**
             * @description Unique among those of its kind and template
             * @example careful
             */
            name?: string;
            /**
             * @description `inputs`: some of the template’s inputs, by name. Secrets, and what governs runs, are refused with 403 `governance_knob`. At most 64 KiB
             * @example {
             *       "inputs": {
             *         "action": "restart"
             *       }
             *     }
             */
            values?: {
                [key: string]: unknown;
            };
            /**
             * @description No longer the default; `POST …/default` makes it one
             * @enum {boolean}
             */
            is_default?: false;
        };
        /**
         * @description Filters of a list in the console that a person keeps under a name.
         * @example {
         *       "page": "gates",
         *       "name": "production, high risk",
         *       "search": {
         *         "environment": "production",
         *         "risk": "high"
         *       }
         *     }
         */
        SavedView: {
            /**
             * @description The list that it is about
             * @example gates
             * @enum {string}
             */
            page: "gates" | "runs";
            /**
             * @description What its owner calls it
             * @example production, high risk
             */
            name: string;
            /**
             * @description The filters as they stand in the address of the list; at most 20
             * @example {
             *       "environment": "production",
             *       "risk": "high"
             *     }
             */
            search: {
                [key: string]: string;
            };
        };
        /** @description A policy that was authored in the console. */
        ConsolePolicy: {
            /** @example db-writes-need-a-dba */
            name: string;
            workspace_id: string;
            /** @description Absent while the policy is broken; the gate is then on in its scope */
            applies_to?: {
                environments: string[];
                risks: string[];
                action_types: string[];
                capabilities: string[];
            };
            rules?: {
                /** @enum {string} */
                effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                reason: string;
                channels: string[];
                approval_role?: string;
                /** @enum {string} */
                require_note?: "always" | "reject";
                /** @enum {boolean} */
                prevent_self?: true;
                min_approvals?: number;
            }[];
            /**
             * @description Environments that attach it. Anywhere else it has no effect
             * @example [
             *       "production"
             *     ]
             */
            attached_in: string[];
            /** @description Policies of its name in lower layers, which it overrides where it is attached */
            replaces: {
                layer: string;
                source: string;
            }[];
            /** @description In the answer to a change: something may be laxer now than before it. In any other answer: it is not certain to be as strict as what it replaces */
            loosens: boolean;
            /** @description YAML as its author wrote it */
            document: string;
            /**
             * @description Who wrote this text
             * @example usr_01jd4c2v7m8k9h3r5t6w1x0y2z
             */
            author: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * @description Of the text; audit records name it
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            digest: string;
            problems: components["schemas"]["AuthoredProblem"][];
            etag: string;
        };
        /** @description A rule that was authored in the console. */
        ConsoleRule: {
            /** @example checkout-down */
            name: string;
            workspace_id: string;
            /**
             * @description Absent while the rule is broken; it then fits nothing
             * @enum {string}
             */
            on?: "alert" | "pattern" | "ingress";
            /**
             * @description The template that it starts
             * @example sre/service-recovery
             */
            run?: string;
            description?: string;
            environment?: string;
            profile?: string;
            /** @description YAML as its author wrote it */
            document: string;
            /**
             * @description Who wrote this text
             * @example usr_01jd4c2v7m8k9h3r5t6w1x0y2z
             */
            author: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * @description Of the text; audit records name it
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            digest: string;
            problems: components["schemas"]["AuthoredProblem"][];
            etag: string;
        };
        /** @description A connection, without its secret. */
        Connection: {
            /**
             * @description Identifier of a connection
             * @example conn_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            account_id: string;
            /**
             * @description Environments refer to it as `connection:<name>`; it never changes
             * @example billing-api
             */
            name: string;
            /** @enum {string} */
            kind: "http" | "postgres" | "prometheus" | "smtp" | "slack" | "s3" | "mcp";
            /**
             * @description How it signs in. Default: the first that the kind takes
             * @enum {string}
             */
            auth: "none" | "basic" | "bearer" | "key" | "oauth2";
            /**
             * @description Where it leads, by the JSON Schema of its kind (`GET /ui/api/connection-kinds`); no secret
             * @example {
             *       "base_url": "https://api.example.com/v1/"
             *     }
             */
            config: {
                [key: string]: unknown;
            };
            /**
             * @description Where it leads: a base URL, a server with its database, or a bucket
             * @example https://api.example.com/v1/
             */
            leads_to: string;
            /**
             * @description Whether it has a secret; the fingerprint tells two secrets apart and says nothing else of them
             * @example {
             *       "set": true,
             *       "fingerprint": "5f2c9a1e"
             *     }
             */
            secret: {
                set: boolean;
                fingerprint?: string;
            };
            workspaces: string[];
            /** @enum {string} */
            status: "untested" | "healthy" | "degraded" | "failed";
            /**
             * @description Why it cannot be used, or soon cannot, since when, and what to do: a lost key, a failed test, an authorisation that failed, is unknown, or ends within a week
             * @example it ends at 2026-01-07T09:30:00.000Z, and there is no refresh token: an admin authorises it again: svc connections authorize crm
             */
            problem?: string;
            /** @description With `oauth2`: what was authorised */
            grant?: {
                authorized_by: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-01-05T09:30:00.000Z
                 */
                authorized_at: string;
                /** @description What the provider has granted */
                scopes: string[];
                /** @description What was asked for, and not granted */
                missing_scopes: string[];
                /**
                 * @description Of its refresh. `degraded`: the provider did not answer; `failed`: it must be authorised again; `unknown`: a process ended during a refresh
                 * @enum {string}
                 */
                state: "active" | "degraded" | "failed" | "unknown";
                /**
                 * Format: date-time
                 * @description Since when it is in this state
                 * @example 2026-01-05T09:30:00.000Z
                 */
                since: string;
                /** @description Why it is not active */
                detail?: string;
                /**
                 * Format: date-time
                 * @description When the access token ends; absent where the provider does not say
                 * @example 2026-01-05T09:30:00.000Z
                 */
                expires_at?: string;
                /** @description Without a refresh token it is authorised again when it ends */
                refreshable: boolean;
            };
            last_test?: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-01-05T09:30:00.000Z
                 */
                at: string;
                ok: boolean;
                latency_ms: number;
                /** @description What was found, in words; never what the target says */
                detail: string;
            };
            /** @description Counts the changes of where it leads and of its secret */
            version: number;
            /** @description Environments that refer to it, and their name for it; it cannot be deleted meanwhile */
            bound_by: {
                environment: string;
                name: string;
            }[];
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            last_used_at?: string;
            /**
             * @description Steps that have used it, by UTC day, of the last 30 days; without days of no use. Of the workspace of the request, or of all for who may enter all. Only where one connection is read
             * @example [
             *       {
             *         "day": "2026-01-05",
             *         "uses": 42
             *       }
             *     ]
             */
            uses_per_day?: {
                /** Format: date */
                day: string;
                uses: number;
            }[];
            created_by: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            /** @description Who changed it last */
            author: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            updated_at: string;
            /** @description Of all that can be changed, the secret by its fingerprint */
            digest: string;
            /** @description For `If-Match` */
            etag: string;
        };
        /** @description The outcome of a test: checks, never an answer of the target. */
        ConnectionTestResult: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            at: string;
            ok: boolean;
            latency_ms: number;
            /** @description What was found, in words; never what the target says */
            detail: string;
            /** @enum {string} */
            status: "healthy" | "degraded" | "failed";
            environment: string;
        };
        /** @description A kind of connection, as a form is drawn from it. */
        ConnectionForm: {
            /** @enum {string} */
            kind: "http" | "postgres" | "prometheus" | "smtp" | "slack" | "s3" | "mcp";
            title: string;
            /** @description What it takes, the usual one first */
            auth: ("none" | "basic" | "bearer" | "key" | "oauth2")[];
            /** @description What its secret is called */
            secret: string;
            /** @description JSON Schema of `config` */
            schema: {
                [key: string]: unknown;
            };
        };
        /** @description A tool of an MCP server. Characters that cannot be seen are escaped. */
        McpTool: {
            /**
             * @description Name of a tool
             * @example create_ticket
             */
            name: string;
            title?: string;
            /** @description In the words of the server; not to be trusted */
            description?: string;
            input_schema: {
                [key: string]: unknown;
            };
            output_schema?: {
                [key: string]: unknown;
            };
            /** @description Claims of the server: they raise the risk and lower nothing */
            annotations?: {
                [key: string]: unknown;
            };
            /**
             * @description `new`: nobody has accepted it; `changed`: it is not what was accepted; `removed`: the server lists it no more. Steps use accepted tools alone
             * @enum {string}
             */
            state: "new" | "accepted" | "changed" | "removed";
            /**
             * @description Of a definition: name, title, description, schemas and annotations
             * @example sha256:5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e
             */
            definition_digest: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            found_at: string;
            /** @description What was accepted; absent where nothing was */
            accepted?: {
                /**
                 * @description Of a definition: name, title, description, schemas and annotations
                 * @example sha256:5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e
                 */
                definition_digest: string;
                /**
                 * @description What a person has found it to do. Nothing that the server claims makes a tool a read
                 * @enum {string}
                 */
                effect: "read" | "write";
                by: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, milliseconds
                 * @example 2026-01-05T09:30:00.000Z
                 */
                at: string;
            };
            /** @description Of a changed tool: what differs from what was accepted */
            changes?: {
                member: string;
                before?: string;
                after?: string;
            }[];
            /** @description Of a new tool: an accepted one with nearly the same name */
            close_to?: string;
        };
        /** @description The tools of a server, as it describes them now. */
        McpToolsFound: {
            tools: components["schemas"]["McpTool"][];
            /**
             * @description Tools that cannot be accepted
             * @example []
             */
            left_out: {
                name: string;
                why: string;
            }[];
        };
        /** @description Asks a server for its tools. */
        McpToolDiscovery: {
            /**
             * @description Whose egress rules hold; default: that of runs that name none
             * @example staging
             */
            environment?: string;
        };
        /** @description The definition that a person has read. */
        McpToolAcceptance: {
            /**
             * @description Of a definition: name, title, description, schemas and annotations
             * @example sha256:5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e5f2c9a1e
             */
            definition_digest: string;
            /**
             * @description What the tool does; without it, it is a write
             * @example write
             * @enum {string}
             */
            effect?: "read" | "write";
        };
        /** @description An authorisation that has begun. */
        OauthStarted: {
            /**
             * Format: uri
             * @description The page of the provider: open it in this browser
             * @example https://login.example.com/authorize?client_id=svc&response_type=code
             */
            authorization_url: string;
            /**
             * Format: date-time
             * @description Until then the provider can lead back
             * @example 2026-01-05T09:30:00.000Z
             */
            expires_at: string;
            /**
             * @description With `confirm: code`: show it to the person, who types it into the page to which the provider leads back
             * @example BKTR-4WQX
             */
            code?: string;
        };
        /** @description Begins an authorisation. */
        OauthStart: {
            /**
             * @description Whose egress rules hold for requests to the provider; default: that of runs that name none
             * @example staging
             */
            environment?: string;
            /**
             * @description What proves that the browser which comes back is that of who began: a cookie of this answer, as without it, or a code that the terminal shows and the person types in
             * @example code
             * @enum {string}
             */
            confirm?: "browser" | "code";
        };
        /** @description A connection that was authorised. */
        OauthCompleted: {
            /** @example billing-api */
            connection: string;
            missing_scopes: string[];
        };
        /** @description An environment as it is in force, and its layers. */
        Environment: {
            /** @example production */
            name: string;
            /** @enum {string} */
            class: "production" | "staging" | "development" | "sandbox";
            /** @description Policies of the console that it attaches */
            policies: string[];
            /** @description Corpora that are searched here */
            knowledge: string[];
            /** @description Slugs of the workspaces whose runs may use it, `*` for all */
            workspaces: string[];
            /**
             * @description True where runs of the workspace that was asked in may use it
             * @example true
             */
            granted: boolean;
            cost_gate: {
                max_usd?: number;
                daily_usd?: number;
            };
            approval: {
                prevent_self: boolean;
                min_approvals: number;
            } & {
                [key: string]: unknown;
            };
            freeze: ({
                name: string;
            } & {
                [key: string]: unknown;
            })[];
            profile?: string;
            notify?: {
                on: string[];
                channels: string[];
            };
            /** @enum {string} */
            on_lost_standing?: "park" | "cancel";
            connections: {
                id: string;
                kind: string;
            }[];
            /**
             * @description Task queues that steps may hand work to; `attest`: the public key by which results have to be signed
             * @example [
             *       {
             *         "name": "ml",
             *         "task_queue": "ml-gpu"
             *       }
             *     ]
             */
            queues: {
                name: string;
                task_queue: string;
                attest?: string;
            }[];
            /**
             * @description Where artifacts of runs are kept
             * @example {
             *       "object_store": "fs"
             *     }
             */
            backends: {
                /** @enum {string} */
                object_store: "fs" | "s3";
                object_connection?: string;
            };
            /**
             * @description The layers that set it; later ones override earlier ones field by field
             * @example [
             *       "seeded",
             *       "console"
             *     ]
             */
            layers: ("seeded" | "file" | "console")[];
            /** @description YAML as its author wrote it */
            document?: string;
            /**
             * @description Who wrote this text
             * @example usr_01jd4c2v7m8k9h3r5t6w1x0y2z
             */
            author?: string;
            /** Format: date-time */
            updated_at?: string;
            /**
             * @description Of the text; audit records name it
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            digest?: string;
            problems: components["schemas"]["AuthoredProblem"][];
            /**
             * @description In the answer to a change: settings by which something may be laxer now
             * @example [
             *       "freeze"
             *     ]
             */
            loosens?: string[];
            etag: string;
        };
        /** @description Documents of a workspace that are searched together. */
        Corpus: {
            /**
             * @description Identifier of a corpus
             * @example cor_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            id: string;
            /**
             * @description Identifier of a workspace
             * @example ws_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            workspace_id: string;
            name: string;
            /**
             * @example {
             *       "kind": "inline"
             *     }
             */
            source: {
                /** @enum {string} */
                kind: "inline";
            } | {
                /** @enum {string} */
                kind: "folder";
                /**
                 * @description Relative: names of letters, digits, spaces and `._,()+-`, none hidden, with `/` between folders
                 * @example runbooks/database.md
                 */
                path: string;
            } | {
                /** @enum {string} */
                kind: "pack";
                pack: string;
            };
            /**
             * @description `registered`: never indexed; `indexing`: something is left to index; `ready`: all of it can be found
             * @enum {string}
             */
            state: "registered" | "indexing" | "ready";
            documents: number;
            /** @description Documents that are not indexed as they are */
            pending: number;
            chunks: number;
            /** @description Chunks that are found by their meaning as well as by their words */
            vectors: number;
            bytes: number;
            /** @description What could not be taken when the documents were listed last */
            problems: {
                path: string;
                message: string;
            }[];
            /** @description Environments that attach it */
            attached_in: string[];
            author: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            listed_at?: string;
            /** @description For `If-Match` */
            etag: string;
        };
        /**
         * @example {
         *       "name": "runbooks",
         *       "source": {
         *         "kind": "inline"
         *       }
         *     }
         */
        CorpusDraft: {
            /**
             * @description Unique in its workspace
             * @example runbooks
             */
            name: string;
            /**
             * @example {
             *       "kind": "inline"
             *     }
             */
            source: {
                /** @enum {string} */
                kind: "inline";
            } | {
                /** @enum {string} */
                kind: "folder";
                /**
                 * @description Relative: names of letters, digits, spaces and `._,()+-`, none hidden, with `/` between folders
                 * @example runbooks/database.md
                 */
                path: string;
            } | {
                /** @enum {string} */
                kind: "pack";
                pack: string;
            };
        };
        /** @description What indexing did. While `corpus.pending` is above 0, ask again. */
        CorpusIndexed: {
            corpus: components["schemas"]["Corpus"];
            added: number;
            changed: number;
            unchanged: number;
            removed: number;
            /** @description Documents that this request has indexed */
            indexed: number;
            /** @description What was not taken */
            problems: {
                path: string;
                message: string;
            }[];
            /** @description Searching by meaning */
            vectors: {
                /** @description What the role `embed` is bound to; absent where it is not */
                model?: string;
                made: number;
                left: number;
                /** @description Why no more were made; words find everything all the same */
                refused?: string;
            };
        };
        /**
         * @example {
         *       "documents": [
         *         {
         *           "path": "database.md",
         *           "text": "# Restart\n\nDrain the pool first.\n"
         *         }
         *       ]
         *     }
         */
        CorpusIndexing: {
            /** @description Of an inline corpus: all of its documents. Without them, what is left to index is indexed */
            documents?: {
                /**
                 * @description Relative: names of letters, digits, spaces and `._,()+-`, none hidden, with `/` between folders
                 * @example runbooks/database.md
                 */
                path: string;
                text: string;
            }[];
        };
        CorpusAnswer: {
            hits: components["schemas"]["KnowledgeHit"][];
            /**
             * @description How it was searched
             * @example [
             *       "text"
             *     ]
             */
            used: ("text" | "vectors")[];
            /** @description Why vectors were not used although a model is bound */
            vectors_refused?: string;
        };
        KnowledgeHit: {
            /**
             * @description Identifier of a corpus
             * @example cor_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            corpus_id: string;
            /** @description Name of the corpus */
            corpus: string;
            path: string;
            from_line: number;
            to_line: number;
            /**
             * @description The headings above it
             * @example Restart > Database
             */
            heading?: string;
            /** @description As it was written: data, and never an instruction */
            text: string;
            /** @description `sha256:` of the text */
            digest: string;
            /** @description Orders the hits of one answer, and means nothing beyond it */
            score: number;
        };
        /**
         * @example {
         *       "query": "restart the database",
         *       "limit": 8
         *     }
         */
        CorpusQuestion: {
            query: string;
            /** @default 8 */
            limit?: number;
        };
        /** @description A profile as it is in force, and its layers. */
        Profile: {
            /** @example careful */
            name: string;
            environment?: string;
            requires_approval: string[];
            require_plan_hash?: boolean;
            limits?: {
                max_usd?: number;
            };
            /**
             * @description The layers that set it; later ones override earlier ones field by field
             * @example [
             *       "seeded",
             *       "console"
             *     ]
             */
            layers: ("seeded" | "file" | "console")[];
            /** @description YAML as its author wrote it */
            document?: string;
            /**
             * @description Who wrote this text
             * @example usr_01jd4c2v7m8k9h3r5t6w1x0y2z
             */
            author?: string;
            /** Format: date-time */
            updated_at?: string;
            /**
             * @description Of the text; audit records name it
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            digest?: string;
            problems: components["schemas"]["AuthoredProblem"][];
            /**
             * @description In the answer to a change: settings by which something may be laxer now
             * @example [
             *       "freeze"
             *     ]
             */
            loosens?: string[];
            etag: string;
        };
        ProfileForm: {
            name: string;
            /** @description JSON Schema of `values` */
            schema: {
                [key: string]: unknown;
            };
            /** @description What the console says */
            values: {
                environment?: string;
                requires_approval?: string[];
                limits?: {
                    max_usd?: number;
                };
                require_plan_hash?: boolean;
            };
            /** @description What counts, of all layers */
            in_force: {
                /** @example careful */
                name: string;
                environment?: string;
                requires_approval: string[];
                require_plan_hash?: boolean;
                limits?: {
                    max_usd?: number;
                };
                /**
                 * @description The layers that set it; later ones override earlier ones field by field
                 * @example [
                 *       "seeded",
                 *       "console"
                 *     ]
                 */
                layers: ("seeded" | "file" | "console")[];
                /** @description YAML as its author wrote it */
                document?: string;
                /**
                 * @description Who wrote this text
                 * @example usr_01jd4c2v7m8k9h3r5t6w1x0y2z
                 */
                author?: string;
                /** Format: date-time */
                updated_at?: string;
                /**
                 * @description Of the text; audit records name it
                 * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
                 */
                digest?: string;
                problems: components["schemas"]["AuthoredProblem"][];
                /**
                 * @description In the answer to a change: settings by which something may be laxer now
                 * @example [
                 *       "freeze"
                 *     ]
                 */
                loosens?: string[];
                etag: string;
            };
            etag: string;
        };
        /**
         * @description An answer that rests on what was looked up, or says that there is none.
         * @example {
         *       "thread_id": "thr_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *       "turn_id": "turn_01hzy3v9k5m8q2w4x6z8b0d2f5",
         *       "answer": "The last run failed at the step verify: the service did not answer.[^t1]",
         *       "grounded": true,
         *       "citations": [
         *         {
         *           "id": "t1",
         *           "tool": "list_runs",
         *           "ref": "/runs?status=failed&limit=1",
         *           "digest": "sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
         *         }
         *       ],
         *       "tools_used": [
         *         {
         *           "name": "list_runs",
         *           "args_hash": "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         *           "ms": 4,
         *           "rows": 1
         *         }
         *       ],
         *       "recommended_workflow": null,
         *       "action": null,
         *       "cost": {
         *         "usd": 0.0008,
         *         "cap_usd": 0.05
         *       },
         *       "model": "gpt-4o-mini",
         *       "created_at": "2026-01-05T09:30:00.000Z"
         *     }
         */
        AskAnswer: {
            /** @example thr_01hzy3v9k5m8q2w4x6z8b0d2f4 */
            thread_id: string;
            /** @example turn_01hzy3v9k5m8q2w4x6z8b0d2f5 */
            turn_id: string;
            /** @description Markdown. Each sentence cites the results that it rests on, as `[^t1]` */
            answer: string;
            /** @description false: no result backs the answer, and `answer` says so */
            grounded: boolean;
            citations: {
                /**
                 * @description As the answer cites it: `[^t1]`
                 * @example t1
                 */
                id: string;
                /** @example get_run */
                tool: string;
                /**
                 * @description What was read: a path of this API
                 * @example /runs/run_01hzy3v9k5m8q2w4x6z8b0d2f4
                 */
                ref: string;
                /** @description Of the result as it is stored */
                digest: string;
                quote?: string;
            }[];
            tools_used: {
                name: string;
                args_hash: string;
                ms: number;
                rows: number;
            }[];
            /** @example incident/service-recovery */
            recommended_workflow: string | null;
            action: components["schemas"]["AskAction"] | null;
            cost: {
                usd: number;
                /** @description Of this turn */
                cap_usd: number;
            };
            /** @description The model that answered */
            model: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
        };
        /** @description The form of a run. Nothing is started until a user sends it. */
        AskAction: {
            /** @enum {string} */
            type: "run_form";
            pack: string;
            template: string;
            /** @description With the defaults; secrets are left out */
            inputs: {
                [key: string]: unknown;
            };
            /** @description Inputs that are still missing */
            missing: {
                name: string;
                schema: {
                    [key: string]: unknown;
                };
            }[];
            profile?: string;
            config_preset?: string;
            environment: string;
            preflight: {
                /**
                 * @description blocked: a check failed
                 * @enum {string}
                 */
                verdict: "ready" | "blocked";
                checks: {
                    /** @enum {string} */
                    id: "inputs" | "environment" | "connections" | "queues" | "policy" | "freezes" | "halts" | "budget" | "caller";
                    /** @enum {string} */
                    status: "pass" | "warn" | "fail" | "skipped";
                    message: string;
                    /** @description What helps */
                    fix?: string;
                    evidence?: {
                        [key: string]: unknown;
                    };
                }[];
            };
            gates_expected: {
                step: string;
                because: string[];
                /** @description All of these clauses, any role of each */
                approval_roles: string[][];
            }[];
            /** @description At most; null where it is not known before inputs are rendered */
            estimate_usd: number | null;
            /** @description Digest of the template; a start of this form is refused once the template has changed */
            template_digest: string;
            /** @description Hash of the plan with exactly these inputs; a start with it is refused once anything has changed */
            plan_hash: string;
            submit: {
                /** @enum {string} */
                method: "POST";
                path: string;
            };
            /** @description The same start on the command line */
            command: string;
        };
        /**
         * @description A question. Account and workspace are those of the request, never of its body.
         * @example {
         *       "query": "Why did the last run of incident/service-recovery fail?"
         *     }
         */
        AskRequest: {
            /** @description What you want to know, or to have done */
            query: string;
            /**
             * @description A thread of yours to continue; any other id begins a new thread
             * @example thr_01hzy3v9k5m8q2w4x6z8b0d2f4
             */
            thread_id?: string;
        };
        /**
         * @description The last 100 turns, oldest first. A foreign thread is empty, like one that does not exist.
         * @example {
         *       "thread_id": "thr_01hzy3v9k5m8q2w4x6z8b0d2f4",
         *       "turns": [
         *         {
         *           "query": "Why did the last run fail?",
         *           "turn_id": "turn_01hzy3v9k5m8q2w4x6z8b0d2f5",
         *           "answer": "The last run failed at the step verify: the service did not answer.[^t1]",
         *           "grounded": true,
         *           "citations": [
         *             {
         *               "id": "t1",
         *               "tool": "list_runs",
         *               "ref": "/runs?status=failed&limit=1",
         *               "digest": "sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
         *             }
         *           ],
         *           "tools_used": [
         *             {
         *               "name": "list_runs",
         *               "args_hash": "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         *               "ms": 4,
         *               "rows": 1
         *             }
         *           ],
         *           "recommended_workflow": null,
         *           "action": null,
         *           "cost": {
         *             "usd": 0.0008,
         *             "cap_usd": 0.05
         *           },
         *           "model": "gpt-4o-mini",
         *           "created_at": "2026-01-05T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        AskThread: {
            thread_id: string;
            turns: components["schemas"]["AskTurn"][];
        };
        /** @description A question and its answer. */
        AskTurn: {
            query: string;
            /** @example turn_01hzy3v9k5m8q2w4x6z8b0d2f5 */
            turn_id: string;
            /** @description Markdown. Each sentence cites the results that it rests on, as `[^t1]` */
            answer: string;
            /** @description false: no result backs the answer, and `answer` says so */
            grounded: boolean;
            citations: {
                /**
                 * @description As the answer cites it: `[^t1]`
                 * @example t1
                 */
                id: string;
                /** @example get_run */
                tool: string;
                /**
                 * @description What was read: a path of this API
                 * @example /runs/run_01hzy3v9k5m8q2w4x6z8b0d2f4
                 */
                ref: string;
                /** @description Of the result as it is stored */
                digest: string;
                quote?: string;
            }[];
            tools_used: {
                name: string;
                args_hash: string;
                ms: number;
                rows: number;
            }[];
            /** @example incident/service-recovery */
            recommended_workflow: string | null;
            action: components["schemas"]["AskAction"] | null;
            cost: {
                usd: number;
                /** @description Of this turn */
                cap_usd: number;
            };
            /** @description The model that answered */
            model: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC, milliseconds
             * @example 2026-01-05T09:30:00.000Z
             */
            created_at: string;
        };
        /**
         * @description What you want to have done, in words.
         * @example {
         *       "query": "Restart the checkout service"
         *     }
         */
        PlanQuestion: {
            /** @description What you want to know, or to have done */
            query: string;
            /** @description A model or a role of one. Default: `small`, or `default` if no model has that role */
            model?: string;
        };
        /** @description The result or the error of a request (JSON-RPC 2.0). */
        McpAnswer: {
            /** @enum {string} */
            jsonrpc: "2.0";
        } & {
            [key: string]: unknown;
        };
        /** @description One request or notification of the Model Context Protocol (JSON-RPC 2.0). */
        McpMessage: {
            /** @enum {string} */
            jsonrpc: "2.0";
            id?: string | number;
            method: string;
            params?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description The session of a browser. */
        ConsoleSession: {
            /**
             * @description `off`: there is no sign-in, and every caller is the local owner
             * @enum {string}
             */
            authentication: "on" | "off";
            /** @description Who is signed in */
            user: {
                id: string;
                account_id: string;
                email?: string;
                display_name?: string;
                roles: string[];
                /** @description Names that policies ask for by `approval_role` */
                approval_roles: string[];
                /** @description Rights beyond the role, such as `approvals:on_behalf` */
                scopes: string[];
                /** @description Ids, home first, or `*` for all */
                workspaces: string[];
                /** @enum {string} */
                status: "invited" | "active" | "disabled";
                out_of_office_until?: string;
                /** @description Who answers gates meanwhile */
                delegate_to?: string;
                /** @description Service accounts that may answer gates in this name; absent where there are none */
                answering_accounts?: string[];
                last_login_at?: string;
                created_at?: string;
                /** @description For `If-Match`; a sign-in does not change it */
                etag?: string;
            } | null;
            /** @description For the header `X-Svc-Csrf`, which every call with the cookie needs */
            csrf: string | null;
            /**
             * Format: date-time
             * @description When the session ends unless it is renewed
             */
            expires_at: string | null;
            /**
             * @description For owners and admins of all workspaces, where it is known: the address at which the Web UI of Temporal shows a run, without its id
             * @example https://temporal.example.com/namespaces/default/workflows/
             */
            temporal_workflows?: string;
        };
        /**
         * @description What the sign-in of the console sends.
         * @example {
         *       "email": "ann@example.com",
         *       "password": "correct horse battery staple"
         *     }
         */
        ConsoleSignIn: {
            email: string;
            password: string;
        };
    };
    responses: {
        /** @description A refusal */
        Refused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description Of the provider */
        Code: string;
        UserId: string;
        /** @description Items at most */
        Limit: number;
        /** @description From the `Link` header of the page before */
        Cursor: string;
        /** @description Entity tag of the record as the caller knows it (RFC 9110) */
        IfMatch: string;
        Pack: string;
        Since: string;
        Until: string;
        /** @description Identifier of a run */
        RunId: string;
        /** @description Only what comes after this number */
        AfterSeq: number;
        /** @description Only what comes after this number */
        LastEventId: number;
        /** @description Id of a step of the pipeline */
        Step: string;
        Name: string;
        /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
        IdempotencyKey: string;
        /** @description The action workflow of the gate */
        WorkflowId: string;
        /** @description Identifier of a gate */
        GateId: string;
        Tpl: string;
        /** @description Identifier of a schedule */
        ScheduleId: string;
        /** @description Identifier of a workspace */
        WorkspaceId: string;
        /** @description Identifier of a halt */
        Id: string;
        /** @description Identifier of a pipeline */
        PipelineId: string;
        /** @description Identifier of a preset */
        PresetId: string;
        /** @description The list that it is about */
        Page: "gates" | "runs";
        /** @description Identifier of a connection */
        ConnectionId: string;
        /** @description The provider (RFC 9207) */
        Iss: string;
        /** @description Why there is no code */
        Error: string;
        /** @description Identifier of a corpus */
        CorpusId: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Where to go */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Root"];
                    "text/html": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getHealth: {
        parameters: {
            query?: {
                /** @description Adds the details of each check, the lanes, what does not load, and versions */
                verbose?: string;
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Everything answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthReport"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The description of every route */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getDocsAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                asset: "swagger-ui.css" | "swagger-ui-bundle.js" | "start.js";
            };
        };
        responses: {
            /** @description A file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                    "text/css": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getProblem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: "malformed_body" | "invalid_cursor" | "invalid_path" | "workspace_conflict" | "unauthenticated" | "BudgetExceeded" | "forbidden" | "policy_denied" | "frozen" | "governance_knob" | "approver_not_allowed" | "self_approval" | "not_found" | "method_not_allowed" | "run_not_awaiting" | "gate_resolved" | "plan_changed" | "needs_approval" | "workspace_protected" | "workspace_archived" | "run_terminal" | "conflict" | "version_conflict" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "decision_required" | "note_required" | "plan_hash_required" | "unrecognised_alert" | "secret_required" | "invalid_schedule" | "idempotency_mismatch" | "halted" | "rate_limited" | "internal" | "not_configured" | "artifact_mismatch" | "audit_unavailable" | "dependency_unavailable";
            };
        };
        responses: {
            /** @description Markdown */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description The token; `Cache-Control: no-store` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenAnswer"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getAuthStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The state of authentication, and of the caller */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthStatus"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The caller; with authentication off, the local owner */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnEdit"];
            };
        };
        responses: {
            /** @description You, as you are now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    addAnsweringAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["UserId"];
            };
        };
        responses: {
            /** @description You, as you are now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    removeAnsweringAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["UserId"];
            };
        };
        responses: {
            /** @description You, as you are now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listDelegates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Those whom `delegate_to` takes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delegate"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listAnsweringAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Those that `PUT` takes and those that `DELETE` takes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnsweringAccount"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Every token of the caller has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of users */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many users match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many users were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserInvite"];
            };
        };
        responses: {
            /** @description The invited user and the token */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["UserId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserEdit"];
            };
        };
        responses: {
            /** @description The user as it is now */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    setPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["UserId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description The password is set */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of API keys */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many API keys match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many API keys were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyDraft"];
            };
        };
        responses: {
            /** @description The key, and what lets its holder in; `Cache-Control: no-store` */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
        };
        responses: {
            /** @description The key is revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description realtime or background */
                lane?: string;
                /** @description One status or several with commas between, or the parameter several times: queued, running, awaiting_approval, cancelling, succeeded, failed, rejected, cancelled, expired; `completed`, `success` and `canceled` are understood */
                status?: string;
                /** @description Name of a pack */
                pack?: string;
                /** @description A template, with or without its pack */
                template?: string;
                environment?: string;
                /** @description What started the run */
                trigger?: "alert" | "pattern" | "manual" | "schedule" | "ingress" | "pipeline" | "bus" | "direct" | "ask" | "replay" | "again" | "retry";
                /** @description Only the runs of this pipeline */
                pipeline?: string;
                /** @description `name=value`, or `name` for any value */
                label?: string;
                /** @description Text in the id, the template, the reason (of an alert its title), the fingerprint, the environment, or the id or name of the requester, or the whole id of a gate; upper and lower case are equal */
                q?: string;
                /** @description Created at that time or later */
                since?: string;
                /** @description Created before that time */
                until?: string;
                /** @description Only runs whose gate you may answer now, and whose answer is still missing */
                awaiting_me?: "true" | "false";
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of runs */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many runs match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many runs were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description The run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description To the run in the console */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Only what comes after this number */
                after_seq?: components["parameters"]["AfterSeq"];
                /** @description Items at most */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description Events in order, without gaps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventSnapshot"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    streamRun: {
        parameters: {
            query?: {
                /** @description Only what comes after this number */
                after_seq?: components["parameters"]["AfterSeq"];
            };
            header?: {
                /** @description Only what comes after this number */
                "last-event-id"?: components["parameters"]["LastEventId"];
            };
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description Lines `id`, `event` and `data`; the data is a RunEvent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listArtifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description Artifacts, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listSteps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description Steps in the order of the plan */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStep"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getStep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
                /** @description Id of a step in the plan */
                step: string;
            };
        };
        responses: {
            /** @description The step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStepDetail"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    downloadArtifact: {
        parameters: {
            query: {
                name: string;
                /** @description `false`: the service answers the bytes itself, verified, also of an artifact in a bucket */
                redirect?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description The file as an attachment, of the type that it was kept with */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "*/*": string;
                };
            };
            /** @description It is in a bucket: a url that is good for a minute */
            302: {
                headers: {
                    /** @description Whoever has it reads the file, without signing in */
                    location?: string;
                    /** @description What the bytes must be: `sha256:` and 64 hex digits */
                    "x-svc-digest"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description Markdown as it was stored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getLineage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description The lineage of the run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunLineage"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getRunContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description What happened before, and what the documents say */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunContext"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getRunEvidence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description The document, as an attachment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEvidence"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listRunDeliveries: {
        parameters: {
            query?: {
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description A page of notices */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many notices match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many notices were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeDelivery"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description One state or several with commas between: planned, delivered, retrying, failed, cancelled, folded */
                state?: string;
                channel?: string;
                since?: components["parameters"]["Since"];
                until?: components["parameters"]["Until"];
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of notices */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many notices match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many notices were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeDelivery"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Cancellation"];
            };
        };
        responses: {
            /** @description The run on its way to `cancelled` */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    startAgain: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunRepeat"];
            };
        };
        responses: {
            /** @description The new run, queued */
            202: {
                headers: {
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    retryRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunRepeat"];
            };
        };
        responses: {
            /** @description The new run, queued */
            202: {
                headers: {
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listGates: {
        parameters: {
            query?: {
                /** @description Only gates that you may approve now, and whose approval by you is still missing */
                awaiting_me?: "true" | "false";
                /** @description Risk of the gated step */
                risk?: "low" | "medium" | "high";
                environment?: string;
                /** @description Name of a pack */
                pack?: string;
                /** @description A template, with or without its pack */
                template?: string;
                /** @description Text in the id of the gate or its run, the template, the reason (of an alert its title), the fingerprint, the environment, the summary of the plan, what the steps before have found or the name of the requester; upper and lower case are equal */
                q?: string;
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of gates */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many gates match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many gates were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitingGate"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    pendingApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        responses: {
            /** @description The open gate */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingApproval"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalDecision"];
            };
        };
        responses: {
            /** @description What the decision led to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalOutcome"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    expireGate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a run */
                id: components["parameters"]["RunId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GateDismissal"];
            };
        };
        responses: {
            /** @description The run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    showApprovalLink: {
        parameters: {
            query?: {
                /** @description Signature of the link */
                token?: string;
                /** @description `approve` or `reject`; counts with `X-Svc-Confirm` only */
                decision?: string;
                note?: string;
                /** @description The page has loaded itself again */
                again?: string;
            };
            header?: never;
            path: {
                /** @description The action workflow of the gate */
                workflow_id: components["parameters"]["WorkflowId"];
            };
        };
        responses: {
            /** @description What the link leads to; of a program that decides, what its decision led to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalLink"] | components["schemas"]["ApprovalOutcome"];
                    "text/html": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    decideApprovalLink: {
        parameters: {
            query?: {
                token?: string;
            };
            header?: never;
            path: {
                /** @description The action workflow of the gate */
                workflow_id: components["parameters"]["WorkflowId"];
            };
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["LinkAnswer"];
                "application/json": components["schemas"]["LinkAnswer"];
            };
        };
        responses: {
            /** @description What the decision led to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalOutcome"];
                    "text/html": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    dismissGates: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkDismissal"];
            };
        };
        responses: {
            /** @description What was dismissed, and what was not */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DismissalOutcome"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    acknowledgeGate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a gate */
                id: components["parameters"]["GateId"];
            };
        };
        responses: {
            /** @description Who looks at it, and the comments on it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateRemarks"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    commentOnGate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a gate */
                id: components["parameters"]["GateId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GateComment"];
            };
        };
        responses: {
            /** @description Who looks at it, and the comments on it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateRemarks"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listPacks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description One item per template of every pack */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackTemplate"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    runTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                pack: components["parameters"]["Pack"];
                tpl: components["parameters"]["Tpl"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            /** @description The run, queued */
            202: {
                headers: {
                    /** @description Path of the run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getContract: {
        parameters: {
            query?: {
                /** @description Default: the workspace’s default environment */
                environment?: string;
            };
            header?: never;
            path: {
                pack: components["parameters"]["Pack"];
                tpl: components["parameters"]["Tpl"];
            };
        };
        responses: {
            /** @description The contract */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateContract"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getGraph: {
        parameters: {
            query?: {
                /** @description Default: the workspace’s default environment */
                environment?: string;
            };
            header?: never;
            path: {
                pack: components["parameters"]["Pack"];
                tpl: components["parameters"]["Tpl"];
            };
        };
        responses: {
            /** @description The graph */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateGraph"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    validateInputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pack: components["parameters"]["Pack"];
                tpl: components["parameters"]["Tpl"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InputsQuestion"];
            };
        };
        responses: {
            /** @description Whether they fit */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputsAnswer"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    preflight: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pack: components["parameters"]["Pack"];
                tpl: components["parameters"]["Tpl"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreflightQuestion"];
            };
        };
        responses: {
            /** @description The checks, and what is to be expected */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preflight"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    receiveAlerts: {
        parameters: {
            query?: {
                /** @description Skips the recognition by shape */
                source?: "grafana" | "alertmanager" | "pagerduty" | "cloudwatch" | "datadog" | "generic";
            };
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown> | unknown[];
                "text/plain": string;
            };
        };
        responses: {
            /** @description The outcome of each alert */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertResults"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    receivePattern: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatternSignal"];
            };
        };
        responses: {
            /** @description What became of it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatternResult"] | components["schemas"]["QueuedDelivery"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    startManually: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ManualTrigger"];
            };
        };
        responses: {
            /** @description The finished run; only with `wait` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The run, under way */
            202: {
                headers: {
                    /** @description Path of the run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"] | components["schemas"]["QueuedDelivery"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    receiveSlack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channel: string;
            };
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    payload: string;
                };
            };
        };
        responses: {
            /** @description Understood; the result is shown in the chat */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    receiveIngress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pack: string;
                name: string;
            };
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown> | unknown[];
                "application/x-www-form-urlencoded": {
                    [key: string]: unknown;
                };
                "text/plain": string;
            };
        };
        responses: {
            /** @description What Slack wants back when it verifies the address */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngressChallenge"];
                };
            };
            /** @description The outcome of the delivery */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngressAnswer"] | components["schemas"]["QueuedDelivery"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of schedules */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many schedules match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many schedules were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleDraft"];
            };
        };
        responses: {
            /** @description The schedule, its next fires, and what policies would say now */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedSchedule"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    previewSchedule: {
        parameters: {
            query: {
                /** @description Five fields, or six with seconds first */
                cron: string;
                /** @description IANA name */
                timezone?: string;
                /** @description Needed when day of the month and day of the week are both restricted */
                days?: "and" | "or";
                /** @description A time that does not exist */
                gap?: "run_at_end" | "skip";
                /** @description A time that exists twice */
                fold?: "first" | "both";
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Its next times */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchedulePreview"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listFires: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a schedule */
                id: components["parameters"]["ScheduleId"];
            };
        };
        responses: {
            /** @description Its times */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleFires"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listStarters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Rules and ingress */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Starters"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listSignedDeliveries: {
        parameters: {
            query?: {
                /** @description Of this one alone */
                ingress?: string;
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of deliveries */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many deliveries match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many deliveries were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryTrace"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listSkills: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Skills, by id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillStarter"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a schedule */
                id: components["parameters"]["ScheduleId"];
            };
        };
        responses: {
            /** @description It fires no more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    updateSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a schedule */
                id: components["parameters"]["ScheduleId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleEdit"];
            };
        };
        responses: {
            /** @description The schedule */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listInbox: {
        parameters: {
            query?: {
                /** @description One status or several with commas between: received, started, attached, unmatched, throttled, failed, replayed */
                status?: string;
                route?: string;
                source?: string;
                since?: components["parameters"]["Since"];
                until?: components["parameters"]["Until"];
                /** @description `1` shows the bodies */
                body?: "0" | "1";
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of deliveries */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many deliveries match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many deliveries were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxItem"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    postInbox: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example /triggers/alert */
                    route: string;
                    source?: string;
                    headers?: {
                        [key: string]: string;
                    };
                    body: {
                        [key: string]: unknown;
                    } | unknown[];
                };
            };
        };
        responses: {
            /** @description The delivery as it waits */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxItem"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    replayInbox: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ids?: string[];
                    /** Format: date-time */
                    since?: string;
                    /** Format: date-time */
                    until?: string;
                    /** @enum {string} */
                    status?: "received" | "started" | "attached" | "unmatched" | "throttled" | "failed" | "replayed";
                    /**
                     * @description `simulate` changes nothing
                     * @enum {string}
                     */
                    mode: "force" | "if_no_run" | "simulate";
                };
            };
        };
        responses: {
            /** @description What came of each, in the order of receipt */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayOutcome"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createChatCompletion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The run that the call belongs to, and whose cap it counts against */
                "x-svc-run-id"?: string;
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatRequest"];
            };
        };
        responses: {
            /** @description The answer; `X-Svc-Model` says which model gave it, `X-Svc-Cost-Usd` what it cost. With `stream`, chunks as Server-Sent Events and then `[DONE]`; a failure on the way is an event with `error` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatCompletion"];
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Roles first, then models; empty where none is bound */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listRegisteredModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Every model, in the order of the file; empty where none is bound */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredModel"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    probeModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example gpt-4o-mini */
                    model: string;
                };
            };
        };
        responses: {
            /** @description What became of it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelProbe"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getGatewaySummary: {
        parameters: {
            query?: {
                /** @description Default: `7d`, unless `from` or `to` is given */
                window?: "24h" | "7d" | "30d" | "90d";
                /** @description Calls since then */
                from?: string;
                /** @description Calls before then */
                to?: string;
                /** @description Entries by model, by run and by person, the dearest first */
                limit?: number;
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The sums */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewaySummary"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getModelCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The catalogue */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelCatalog"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getModelRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The roles */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRoles"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    putModelRoles: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelRolesEdit"];
            };
        };
        responses: {
            /** @description The roles, as they are in force */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRoles"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listWorkspaces: {
        parameters: {
            query?: {
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of workspaces */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many workspaces match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many workspaces were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceDraft"];
            };
        };
        responses: {
            /** @description The workspace */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    archiveWorkspace: {
        parameters: {
            query?: {
                /** @description Its slug, from an owner, while it is protected */
                confirm?: string;
            };
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a workspace */
                id: components["parameters"]["WorkspaceId"];
            };
        };
        responses: {
            /** @description The archived workspace */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a workspace */
                id: components["parameters"]["WorkspaceId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceEdit"];
            };
        };
        responses: {
            /** @description The workspace */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The channels in force */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelRecord"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    testChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
        };
        responses: {
            /** @description What each recipient answered */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTest"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingRecord"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listRemoteJobs: {
        parameters: {
            query?: {
                state?: "created" | "running" | "returned" | "failed" | "unknown" | "cancelled" | "not_dispatched";
                /** @description Identifier of a run */
                run_id?: string;
                /** @description As steps name it */
                queue?: string;
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of remote jobs */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many remote jobs match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many remote jobs were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoteJob"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getRemoteJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a remote job */
                id: string;
            };
        };
        responses: {
            /** @description The remote job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoteJobDetail"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listHalts: {
        parameters: {
            query?: {
                /** @description Also the last ten that have refused starts in your workspaces and were lifted within seven days, behind those in force */
                lifted?: "true" | "false";
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The halts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Halt"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    setHalt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HaltDraft"];
            };
        };
        responses: {
            /** @description The halt, in force, with how many runs it holds */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Halt"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    liftHalt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a halt */
                id: components["parameters"]["Id"];
            };
        };
        responses: {
            /** @description The halt was lifted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    listRefusedStarts: {
        parameters: {
            query?: {
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description Identifier of a halt */
                id: components["parameters"]["Id"];
            };
        };
        responses: {
            /** @description A page of refused starts */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many refused starts match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many refused starts were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusedStart"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listOperators: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Every operator of the deployment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                category?: "model_call" | "gated_operation" | "approval" | "policy_decision" | "lineage" | "expiry" | "ask" | "trigger" | "config" | "auth" | "admin" | "sink";
                /** @description Id of who acted, or a part of the name, the mail address or the id of people of the workspace; upper and lower case are equal. Everybody who fits is found. Those who may not see mail addresses find people by a whole one */
                actor?: string;
                /** @description Only what people did */
                people?: "true" | "false";
                /** @description Identifier of a run */
                run_id?: string;
                /** @description From this time on */
                from?: string;
                /** @description Before this time */
                to?: string;
                format?: "json" | "csv";
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of records */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many records match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many records were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecord"][];
                    "text/csv": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getAuditCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The end of the chain */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditCheckpoint"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listPolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description All policies, by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyListed"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    explainPolicy: {
        parameters: {
            query?: {
                environment?: string;
            };
            header?: never;
            path: {
                name: string;
            };
        };
        responses: {
            /** @description The steps that it touches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyTouch"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listPipelineBundles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description All bundles */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineBundle"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    runPipeline: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PipelineRequest"];
            };
        };
        responses: {
            /** @description The pipeline, queued */
            202: {
                headers: {
                    /** @description Path of the pipeline */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineStarted"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listPipelines: {
        parameters: {
            query?: {
                /** @description One status or several with commas between, or the parameter several times: queued, running, blocked, succeeded, failed, rejected, cancelled */
                status?: string;
                /** @description Its id, or the first characters of it */
                id?: string;
                /** @description Name of the pipeline */
                name?: string;
                environment?: string;
                /** @description Items at most */
                limit?: components["parameters"]["Limit"];
                /** @description From the `Link` header of the page before */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description A page of pipelines */
            200: {
                headers: {
                    /** @description The next page, `rel="next"` (RFC 8288) */
                    Link?: string;
                    /** @description How many pipelines match; absent when there are more than are counted */
                    "X-Total-Count"?: number;
                    /** @description In place of X-Total-Count: so many pipelines were counted, and there are more */
                    "X-Total-At-Least"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pipeline"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getPipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a pipeline */
                id: components["parameters"]["PipelineId"];
            };
        };
        responses: {
            /** @description The pipeline in its current state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pipeline"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getPipelineConfig: {
        parameters: {
            query?: {
                /** @description Which entry of each `for_each`, from 0 */
                entry?: number;
            };
            header?: never;
            path: {
                /** @description Identifier of a pipeline */
                id: components["parameters"]["PipelineId"];
            };
        };
        responses: {
            /** @description Every value, by step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineConfig"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listPipelineEvents: {
        parameters: {
            query?: {
                /** @description Only what comes after this number */
                after_seq?: components["parameters"]["AfterSeq"];
                /** @description Items at most */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Identifier of a pipeline */
                id: components["parameters"]["PipelineId"];
            };
        };
        responses: {
            /** @description Events in order, without gaps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineEventSnapshot"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    streamPipeline: {
        parameters: {
            query?: {
                /** @description Only what comes after this number */
                after_seq?: components["parameters"]["AfterSeq"];
            };
            header?: {
                /** @description Only what comes after this number */
                "last-event-id"?: components["parameters"]["LastEventId"];
            };
            path: {
                /** @description Identifier of a pipeline */
                id: components["parameters"]["PipelineId"];
            };
        };
        responses: {
            /** @description Lines `id`, `event` and `data`; the data is a PipelineEvent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    advancePipelineStep: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a pipeline */
                id: components["parameters"]["PipelineId"];
                /** @description Id of a step of the pipeline */
                step: components["parameters"]["Step"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StepAdvanceRequest"];
            };
        };
        responses: {
            /** @description The pipeline; the step begins within a moment */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pipeline"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    approvePipelineStep: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a pipeline */
                id: components["parameters"]["PipelineId"];
                /** @description Id of a step of the pipeline */
                step: components["parameters"]["Step"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StepDecisionRequest"];
            };
        };
        responses: {
            /** @description What the decision led to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalOutcome"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    cancelPipeline: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a pipeline */
                id: components["parameters"]["PipelineId"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PipelineCancellation"];
            };
        };
        responses: {
            /** @description The pipeline on its way to `cancelled` */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pipeline"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    simulatePolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyQuestion"];
            };
        };
        responses: {
            /** @description The verdict, with the policies that led to it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyAnswer"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    rehearsePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDraft"];
            };
        };
        responses: {
            /** @description What would be different */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyRehearsal"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getWorkflowConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pack: components["parameters"]["Pack"];
                tpl: components["parameters"]["Tpl"];
            };
        };
        responses: {
            /** @description What can be set, what is set, and what is refused */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowConfig"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    putWorkflowConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                pack: components["parameters"]["Pack"];
                tpl: components["parameters"]["Tpl"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowConfigEdit"];
            };
        };
        responses: {
            /** @description As it is set now */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowConfig"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listConfigPresets: {
        parameters: {
            query?: {
                pack?: string;
                template?: string;
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The presets */
            200: {
                headers: {
                    /** @description How many there are */
                    "X-Total-Count"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createConfigPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresetDraft"];
            };
        };
        responses: {
            /** @description The preset */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getConfigPreset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a preset */
                id: components["parameters"]["PresetId"];
            };
        };
        responses: {
            /** @description The preset */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteConfigPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a preset */
                id: components["parameters"]["PresetId"];
            };
        };
        responses: {
            /** @description It was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    updateConfigPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a preset */
                id: components["parameters"]["PresetId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresetEdit"];
            };
        };
        responses: {
            /** @description The preset as it is now */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    makeConfigPresetDefault: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a preset */
                id: components["parameters"]["PresetId"];
            };
        };
        responses: {
            /** @description The preset, the default from now on */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listInputPresets: {
        parameters: {
            query?: {
                pack?: string;
                template?: string;
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The presets */
            200: {
                headers: {
                    /** @description How many there are */
                    "X-Total-Count"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createInputPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresetDraft"];
            };
        };
        responses: {
            /** @description The preset */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getInputPreset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a preset */
                id: components["parameters"]["PresetId"];
            };
        };
        responses: {
            /** @description The preset */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteInputPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a preset */
                id: components["parameters"]["PresetId"];
            };
        };
        responses: {
            /** @description It was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    updateInputPreset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a preset */
                id: components["parameters"]["PresetId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresetEdit"];
            };
        };
        responses: {
            /** @description The preset as it is now */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    makeInputPresetDefault: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a preset */
                id: components["parameters"]["PresetId"];
            };
        };
        responses: {
            /** @description The preset, the default from now on */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listViews: {
        parameters: {
            query: {
                /** @description The list that it is about */
                page: components["parameters"]["Page"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description Your views */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    saveView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SavedView"];
            };
        };
        responses: {
            /** @description The view, as it is kept */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteView: {
        parameters: {
            query: {
                /** @description The list that it is about */
                page: components["parameters"]["Page"];
                /** @description What its owner calls it */
                name: string;
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description It is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    listConsolePolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The policies */
            200: {
                headers: {
                    /** @description How many there are */
                    "X-Total-Count"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsolePolicy"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createConsolePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        /** @description YAML, kept as it was written, or the same as JSON. At most 256 kB. */
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    apiVersion?: "svc/v1";
                    name: string;
                    description?: string;
                    applies_to?: {
                        environments?: string[] | null;
                        risks?: ("low" | "medium" | "high")[] | null;
                        action_types?: string[] | null;
                        capabilities?: string[] | null;
                    } | null;
                    rules: {
                        /** @enum {string} */
                        effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                        /** @default  */
                        reason?: string;
                        channels?: string[] | null;
                        approval_role?: string;
                        /** @enum {string} */
                        require_note?: "always" | "reject";
                        /** @enum {boolean} */
                        prevent_self?: true;
                        min_approvals?: number;
                    }[];
                };
                "text/yaml": string;
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The policy */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsolePolicy"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getConsolePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description The policy */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsolePolicy"];
                    "text/yaml": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    updateConsolePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        /** @description YAML, kept as it was written, or the same as JSON. At most 256 kB. */
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    apiVersion?: "svc/v1";
                    name: string;
                    description?: string;
                    applies_to?: {
                        environments?: string[] | null;
                        risks?: ("low" | "medium" | "high")[] | null;
                        action_types?: string[] | null;
                        capabilities?: string[] | null;
                    } | null;
                    rules: {
                        /** @enum {string} */
                        effect: "deny" | "require_hitl" | "require_dry_run" | "allow_auto";
                        /** @default  */
                        reason?: string;
                        channels?: string[] | null;
                        approval_role?: string;
                        /** @enum {string} */
                        require_note?: "always" | "reject";
                        /** @enum {boolean} */
                        prevent_self?: true;
                        min_approvals?: number;
                    }[];
                };
                "text/yaml": string;
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The policy */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsolePolicy"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteConsolePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description What it leaves behind */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        /** @description Environments that attach it still: the gate is on in them until they do not, or it is there again */
                        attached_in: string[];
                        /** @description Something may be laxer now than with it */
                        loosens: boolean;
                    };
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listConsoleTriggers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The rules */
            200: {
                headers: {
                    /** @description How many there are */
                    "X-Total-Count"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleRule"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createConsoleTrigger: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        /** @description YAML, kept as it was written, or the same as JSON. At most 256 kB. */
        requestBody?: {
            content: {
                "application/json": {
                    name: string;
                    description?: string;
                    /** @enum {string} */
                    on: "alert" | "pattern" | "ingress";
                    /**
                     * @default {
                     *       "severity": [],
                     *       "labels": {}
                     *     }
                     */
                    match?: {
                        source?: string;
                        service?: string;
                        symptom?: string | string[];
                        /** @default [] */
                        severity?: ("critical" | "high" | "medium" | "low" | "info")[];
                        /** @default {} */
                        labels?: {
                            [key: string]: string;
                        };
                        when?: string;
                    };
                    run: string;
                    /** @default {} */
                    inputs?: {
                        [key: string]: unknown;
                    };
                    environment?: string;
                    profile?: string;
                    /**
                     * @default record
                     * @enum {string}
                     */
                    on_resolved?: "record" | "withdraw" | "cancel";
                    /** @default {} */
                    limits?: {
                        max_runs?: {
                            count: number;
                            per: string;
                        };
                        cooldown?: string;
                    };
                };
                "text/yaml": string;
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The rule */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleRule"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getConsoleTrigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description The rule */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleRule"];
                    "text/yaml": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    updateConsoleTrigger: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        /** @description YAML, kept as it was written, or the same as JSON. At most 256 kB. */
        requestBody?: {
            content: {
                "application/json": {
                    name: string;
                    description?: string;
                    /** @enum {string} */
                    on: "alert" | "pattern" | "ingress";
                    /**
                     * @default {
                     *       "severity": [],
                     *       "labels": {}
                     *     }
                     */
                    match?: {
                        source?: string;
                        service?: string;
                        symptom?: string | string[];
                        /** @default [] */
                        severity?: ("critical" | "high" | "medium" | "low" | "info")[];
                        /** @default {} */
                        labels?: {
                            [key: string]: string;
                        };
                        when?: string;
                    };
                    run: string;
                    /** @default {} */
                    inputs?: {
                        [key: string]: unknown;
                    };
                    environment?: string;
                    profile?: string;
                    /**
                     * @default record
                     * @enum {string}
                     */
                    on_resolved?: "record" | "withdraw" | "cancel";
                    /** @default {} */
                    limits?: {
                        max_runs?: {
                            count: number;
                            per: string;
                        };
                        cooldown?: string;
                    };
                };
                "text/yaml": string;
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The rule */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleRule"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteConsoleTrigger: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description It was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    listConnections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The connections */
            200: {
                headers: {
                    /** @description How many there are */
                    "X-Total-Count"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Environments refer to it as `connection:<name>`; it never changes
                     * @example billing-api
                     */
                    name: string;
                    /** @enum {string} */
                    kind: "http" | "postgres" | "prometheus" | "smtp" | "slack" | "s3" | "mcp";
                    /**
                     * @description How it signs in. Default: the first that the kind takes
                     * @enum {string}
                     */
                    auth?: "none" | "basic" | "bearer" | "key" | "oauth2";
                    /**
                     * @description Where it leads, by the JSON Schema of its kind (`GET /ui/api/connection-kinds`); no secret
                     * @example {
                     *       "base_url": "https://api.example.com/v1/"
                     *     }
                     */
                    config: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: password
                     * @description Token, password, or secret of the OAuth client: write-only, no answer has it
                     */
                    secret?: string;
                    /**
                     * @description Slugs of the workspaces; the default workspace without it
                     * @example [
                     *       "default"
                     *     ]
                     */
                    workspaces?: string[];
                };
            };
        };
        responses: {
            /** @description The connection */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a connection */
                id: components["parameters"]["ConnectionId"];
            };
        };
        responses: {
            /** @description The connection */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a connection */
                id: components["parameters"]["ConnectionId"];
            };
        };
        responses: {
            /** @description It was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    updateConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a connection */
                id: components["parameters"]["ConnectionId"];
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    kind?: "http" | "postgres" | "prometheus" | "smtp" | "slack" | "s3" | "mcp";
                    /**
                     * @description How it signs in. Default: the first that the kind takes
                     * @enum {string}
                     */
                    auth?: "none" | "basic" | "bearer" | "key" | "oauth2";
                    /**
                     * @description Replaces all of it
                     * @example {
                     *       "base_url": "https://api.example.com/v1/"
                     *     }
                     */
                    config?: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: password
                     * @description Token, password, or secret of the OAuth client: write-only, no answer has it
                     */
                    secret?: string;
                    /**
                     * @description Slugs of the workspaces whose runs may use it, `*` for all
                     * @example [
                     *       "default"
                     *     ]
                     */
                    workspaces?: string[];
                };
            };
        };
        responses: {
            /** @description The connection as it is now */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    testConnection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A stored connection; the other fields change it for the test only
                     * @example conn_01hzy3v9k5m8q2w4x6z8b0d2f4
                     */
                    id?: string;
                    /**
                     * @description Whose egress rules apply; default: that of runs that name none
                     * @example staging
                     */
                    environment?: string;
                    /** @enum {string} */
                    kind?: "http" | "postgres" | "prometheus" | "smtp" | "slack" | "s3" | "mcp";
                    /**
                     * @description How it signs in. Default: the first that the kind takes
                     * @enum {string}
                     */
                    auth?: "none" | "basic" | "bearer" | "key" | "oauth2";
                    /**
                     * @description Where it leads, by the JSON Schema of its kind (`GET /ui/api/connection-kinds`); no secret
                     * @example {
                     *       "base_url": "https://api.example.com/v1/"
                     *     }
                     */
                    config?: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: password
                     * @description Token, password, or secret of the OAuth client: write-only, no answer has it
                     */
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description What was found; a failed test is an answer too */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionTestResult"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listConnectionKinds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The kinds that operators use */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionForm"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listConnectionTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a connection */
                id: components["parameters"]["ConnectionId"];
            };
        };
        responses: {
            /** @description The tools, at most 200 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpTool"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    discoverConnectionTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a connection */
                id: components["parameters"]["ConnectionId"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["McpToolDiscovery"];
            };
        };
        responses: {
            /** @description The tools as the server describes them now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpToolsFound"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    acceptConnectionTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a connection */
                id: components["parameters"]["ConnectionId"];
                /** @description Name of a tool */
                name: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpToolAcceptance"];
            };
        };
        responses: {
            /** @description The tool as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpTool"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    withdrawConnectionTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a connection */
                id: components["parameters"]["ConnectionId"];
                /** @description Name of a tool */
                name: string;
            };
        };
        responses: {
            /** @description The tool as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpTool"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    authorizeConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a connection */
                id: components["parameters"]["ConnectionId"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OauthStart"];
            };
        };
        responses: {
            /** @description Where to consent; with a cookie that binds it to this browser */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OauthStarted"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    completeAuthorization: {
        parameters: {
            query?: {
                /** @description Of the flow */
                state?: string;
                /** @description Of the provider */
                code?: components["parameters"]["Code"];
                /** @description The provider (RFC 9207) */
                iss?: components["parameters"]["Iss"];
                /** @description Why there is no code */
                error?: components["parameters"]["Error"];
            };
            header?: never;
            path?: never;
        };
        responses: {
            /** @description It is authorised */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OauthCompleted"];
                    "text/html": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    confirmAuthorization: {
        parameters: {
            query?: {
                /** @description Of the flow */
                state?: string;
                /** @description Of the provider */
                code?: components["parameters"]["Code"];
                /** @description The provider (RFC 9207) */
                iss?: components["parameters"]["Iss"];
                /** @description Why there is no code */
                error?: components["parameters"]["Error"];
            };
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /**
                     * @description The code that `svc connections authorize` shows
                     * @example K7QX-3MNP
                     */
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description It is authorised */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OauthCompleted"];
                    "text/html": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listEnvironments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The environments */
            200: {
                headers: {
                    /** @description How many there are */
                    "X-Total-Count"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createEnvironment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        /** @description YAML, kept as it was written, or the same as JSON. At most 256 kB. */
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    apiVersion?: "svc/v1";
                    name: string;
                    /** @enum {string} */
                    class?: "production" | "staging" | "development" | "sandbox";
                    workspaces?: string[];
                    policies?: string[];
                    knowledge?: string[];
                    cost_gate?: {
                        max_usd?: number;
                        daily_usd?: number;
                    };
                    approval?: {
                        ttl_hours?: number;
                        prevent_self?: boolean;
                        min_approvals?: number;
                        remind_after?: string;
                        escalate_after?: string;
                        escalate_to?: string[];
                        channels?: string[];
                        links?: boolean;
                    };
                    notify?: {
                        /**
                         * @default [
                         *       "failed"
                         *     ]
                         */
                        on?: ("succeeded" | "failed" | "rejected" | "cancelled" | "expired")[];
                        channels: string[];
                    };
                    freeze?: {
                        name: string;
                        cron?: string;
                        duration?: string;
                        timezone?: string;
                        interval?: {
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            to: string;
                        };
                        /**
                         * @default writes
                         * @enum {string}
                         */
                        scope?: "all" | "writes";
                        /** @default [] */
                        freeze_approvers?: string[];
                    }[];
                    /** @enum {string} */
                    on_lost_standing?: "park" | "cancel";
                    profile?: string;
                    backends?: {
                        /**
                         * @description `fs`: in the database of the service; `s3`: in a bucket
                         * @example s3
                         * @enum {string}
                         */
                        object_store: "fs" | "s3";
                        /**
                         * @description With `s3`: a connection of the console, of the kind `s3`
                         * @example artifacts
                         */
                        object_connection?: string;
                    };
                    connections?: {
                        [key: string]: {
                            /** @enum {string} */
                            kind: "http" | "postgres" | "prometheus" | "smtp" | "slack" | "s3" | "mcp";
                            url: string;
                        };
                    };
                };
                "text/yaml": string;
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The environment, as it is in force */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getEnvironment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description The environment */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    updateEnvironment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        /** @description YAML, kept as it was written, or the same as JSON. At most 256 kB. */
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    apiVersion?: "svc/v1";
                    name: string;
                    /** @enum {string} */
                    class?: "production" | "staging" | "development" | "sandbox";
                    workspaces?: string[];
                    policies?: string[];
                    knowledge?: string[];
                    cost_gate?: {
                        max_usd?: number;
                        daily_usd?: number;
                    };
                    approval?: {
                        ttl_hours?: number;
                        prevent_self?: boolean;
                        min_approvals?: number;
                        remind_after?: string;
                        escalate_after?: string;
                        escalate_to?: string[];
                        channels?: string[];
                        links?: boolean;
                    };
                    notify?: {
                        /**
                         * @default [
                         *       "failed"
                         *     ]
                         */
                        on?: ("succeeded" | "failed" | "rejected" | "cancelled" | "expired")[];
                        channels: string[];
                    };
                    freeze?: {
                        name: string;
                        cron?: string;
                        duration?: string;
                        timezone?: string;
                        interval?: {
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            to: string;
                        };
                        /**
                         * @default writes
                         * @enum {string}
                         */
                        scope?: "all" | "writes";
                        /** @default [] */
                        freeze_approvers?: string[];
                    }[];
                    /** @enum {string} */
                    on_lost_standing?: "park" | "cancel";
                    profile?: string;
                    backends?: {
                        /**
                         * @description `fs`: in the database of the service; `s3`: in a bucket
                         * @example s3
                         * @enum {string}
                         */
                        object_store: "fs" | "s3";
                        /**
                         * @description With `s3`: a connection of the console, of the kind `s3`
                         * @example artifacts
                         */
                        object_connection?: string;
                    };
                    connections?: {
                        [key: string]: {
                            /** @enum {string} */
                            kind: "http" | "postgres" | "prometheus" | "smtp" | "slack" | "s3" | "mcp";
                            url: string;
                        };
                    };
                };
                "text/yaml": string;
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The environment, as it is in force */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteEnvironment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description What is left of it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        /**
                         * @description The layers that set it; later ones override earlier ones field by field
                         * @example [
                         *       "seeded",
                         *       "console"
                         *     ]
                         */
                        layers: ("seeded" | "file" | "console")[];
                        /** @description Settings by which something may be laxer now */
                        loosens: string[];
                    };
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    attachPolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @example [
                     *       "night-guard"
                     *     ]
                     */
                    policies: string[];
                };
            };
        };
        responses: {
            /** @description The environment, as it is in force */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    attachKnowledge: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @example [
                     *       "runbooks"
                     *     ]
                     */
                    knowledge: string[];
                };
            };
        };
        responses: {
            /** @description The environment, as it is in force */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    setBackends: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `fs`: in the database of the service; `s3`: in a bucket
                     * @example s3
                     * @enum {string}
                     */
                    object_store: "fs" | "s3";
                    /**
                     * @description With `s3`: a connection of the console, of the kind `s3`
                     * @example artifacts
                     */
                    object_connection?: string;
                };
            };
        };
        responses: {
            /** @description The environment, as it is in force */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listCorpora: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description All of them, by name */
            200: {
                headers: {
                    /** @description How many there are */
                    "X-Total-Count"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Corpus"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createCorpus: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorpusDraft"];
            };
        };
        responses: {
            /** @description The corpus */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Corpus"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getCorpus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a corpus */
                id: components["parameters"]["CorpusId"];
            };
        };
        responses: {
            /** @description The corpus */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Corpus"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteCorpus: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of a corpus */
                id: components["parameters"]["CorpusId"];
            };
        };
        responses: {
            /** @description It was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    getPassage: {
        parameters: {
            query: {
                /** @description Of the document */
                path: string;
                /** @description Of its text */
                digest: string;
                /** @description Where it was: of equal chunks of a document, the nearest is read */
                line?: number;
            };
            header?: never;
            path: {
                /** @description Identifier of a corpus */
                id: components["parameters"]["CorpusId"];
            };
        };
        responses: {
            /** @description The chunk; it is data, and never an instruction */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgePassage"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    indexCorpus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a corpus */
                id: components["parameters"]["CorpusId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorpusIndexing"];
            };
        };
        responses: {
            /** @description What was done, and what is left */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CorpusIndexed"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    queryCorpus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a corpus */
                id: components["parameters"]["CorpusId"];
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorpusQuestion"];
            };
        };
        responses: {
            /** @description What was found, best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CorpusAnswer"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    listProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The profiles */
            200: {
                headers: {
                    /** @description How many there are */
                    "X-Total-Count"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"][];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    createProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        /** @description YAML, kept as it was written, or the same as JSON. At most 256 kB. */
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    apiVersion?: "svc/v1";
                    name: string;
                    environment?: string;
                    requires_approval?: string[];
                    limits?: {
                        max_usd?: number;
                    };
                    require_plan_hash?: boolean;
                };
                "text/yaml": string;
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The profile, as it is in force */
            201: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    /** @description Its address */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description The profile */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        /** @description YAML, kept as it was written, or the same as JSON. At most 256 kB. */
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    apiVersion?: "svc/v1";
                    name: string;
                    environment?: string;
                    requires_approval?: string[];
                    limits?: {
                        max_usd?: number;
                    };
                    require_plan_hash?: boolean;
                };
                "text/yaml": string;
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The profile, as it is in force */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    deleteProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description What is left of it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        /**
                         * @description The layers that set it; later ones override earlier ones field by field
                         * @example [
                         *       "seeded",
                         *       "console"
                         *     ]
                         */
                        layers: ("seeded" | "file" | "console")[];
                        /** @description Settings by which something may be laxer now */
                        loosens: string[];
                    };
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getProfileForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: components["parameters"]["Name"];
            };
        };
        responses: {
            /** @description The form */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileForm"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    putProfileForm: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of the record as the caller knows it (RFC 9110) */
                "if-match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: components["parameters"]["Name"];
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    values: {
                        environment?: string;
                        requires_approval?: string[];
                        limits?: {
                            max_usd?: number;
                        };
                        require_plan_hash?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The form, as it is in force */
            200: {
                headers: {
                    /** @description Changes with the record; for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileForm"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    askQuestion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskRequest"];
            };
        };
        responses: {
            /** @description The answer, grounded or not */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AskAnswer"];
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getAskThread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a thread */
                id: string;
            };
        };
        responses: {
            /** @description The thread; empty if there is none */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AskThread"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    resolvePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats are answered with the first answer for 24 h, also where only that answer was lost */
                "idempotency-key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanQuestion"];
            };
        };
        responses: {
            /** @description The answer, with the form of the run where one fits */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AskAnswer"];
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    answerMcp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpMessage"];
            };
        };
        responses: {
            /** @description The answer to a request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpAnswer"];
                };
            };
            /** @description A notification was taken */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The session; `user` is null without one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSession"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsoleSignIn"];
            };
        };
        responses: {
            /** @description The new session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSession"];
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    closeSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The session has ended; with a bearer token there is none */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refused"];
        };
    };
    getConsole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
    getConsoleFile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
        };
        responses: {
            /** @description The page, or a file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "text/javascript": string;
                    "text/css": string;
                    "image/svg+xml": string;
                    "font/woff2": string;
                    "image/png": string;
                };
            };
            default: components["responses"]["Refused"];
        };
    };
}
