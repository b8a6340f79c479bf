// A page of the guide says that its stack is stopped, and is loaded again with the next one.

import { follow } from "/pages/page.js";

follow("stack");
