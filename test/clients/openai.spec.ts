/** The official client for Node.js, against the real product and the fault upstream. */
import { withClients } from './fixture';
import { otherRoutes } from './openai/other-routes';
import { plainChat } from './openai/plain';
import { refusals } from './openai/refusals';
import { retries } from './openai/retries';
import { streamedChat } from './openai/streamed';
import { tools } from './openai/tools';

const fixture = withClients();

plainChat(fixture);
tools(fixture);
streamedChat(fixture);
refusals(fixture);
retries(fixture);
otherRoutes(fixture);
