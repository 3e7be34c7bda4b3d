import { workflowInfo } from '@temporalio/workflow';

/** Well below what the server allows (51,200 events, 2,000 updates a run). */
const EVENTS_A_RUN = 1_000;

/** A workflow that lives as long as its plugin goes on in a new run from time to time. */
export function isLongEnough(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= EVENTS_A_RUN;
}
